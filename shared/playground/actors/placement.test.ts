import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../handler.ts';
import { type Rejection, rejection, unavailable } from './placement.ts';

const node = (
  name: string,
  { labels = {}, spec = {} }: { labels?: JsonObject; spec?: JsonObject } = {},
): JsonObject => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec,
});
const pod = (spec: JsonObject, labels: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', namespace: 'default', labels },
  spec,
});
const controlPlane = { 'node-role.kubernetes.io/control-plane': 'true' };
const onControlPlane = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: ['control-plane', 'master'].map((role) => ({
        matchExpressions: [{ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' }],
      })),
    },
  },
};
const apart = (app: string) => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});
const tell = (which: JsonObject, nodes: readonly JsonObject[], placed: readonly JsonObject[] = []) =>
  unavailable(
    nodes.map((each) => rejection(which, each, placed, nodes)).filter((each): each is Rejection => each !== undefined),
  );

it('a pod pinned to a cordoned control plane reads as it does on a real cluster', () => {
  const nodes = [node('n1', { labels: controlPlane, spec: { unschedulable: true } }), node('n2'), node('n3')];

  expect(tell(pod({ affinity: onControlPlane }), nodes)).toBe(
    "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
  );
});

it('a third replica that keeps apart finds no place beside a tainted node', () => {
  const taints: Json = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }];
  const nodes = [node('n1'), node('n2'), node('n3', { spec: { taints } })];
  const replica = (nodeName: string) => pod({ nodeName, affinity: apart('web') }, { app: 'web' });

  expect(tell(replica(''), nodes, [replica('n1'), replica('n2')])).toBe(
    "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 node(s) didn't match pod anti-affinity rules. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  );
});

it('a pod that others keep away from is told so', () => {
  const nodes = [node('n1')];
  const hermit = pod({ nodeName: 'n1', affinity: apart('guest') }, { app: 'hermit' });

  expect(rejection(pod({}, { app: 'guest' }), node('n1'), [hermit], nodes)?.because).toBe(
    "node(s) didn't satisfy existing pods anti-affinity rules",
  );
});

it('a toleration lets a pod onto a tainted or cordoned node', () => {
  const cordoned = node('n1', {
    spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
  });

  expect(rejection(pod({ tolerations: [{ operator: 'Exists' }] }), cordoned, [], [cordoned])).toBeUndefined();
  expect(
    rejection(pod({ tolerations: [{ key: 'other', operator: 'Exists' }] }), cordoned, [], [cordoned])?.because,
  ).toBe('node(s) were unschedulable');
});

it('a node selector term without anything in it matches no node', () => {
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } };

  expect(rejection(pod({ affinity }), node('n1'), [], [])?.because).toBe(
    "node(s) didn't match Pod's node affinity/selector",
  );
});
