import { describe, expect, it } from 'vitest';
import { manualClock } from '../../adapters/clock/manual.ts';
import type { Json, JsonObject } from '../../handler.ts';
import { apiServer } from '../api/api-server.ts';
import { deployment, made, namespaces, node } from '../base/common.ts';
import { chance } from '../chance.ts';
import { at, listAt, numberAt, textAt } from '../json.ts';
import { controllerTurn, runActors } from '../run-actors.ts';
import { type Controller, labels, MERGE, name } from './controller.ts';
import { daemonSets } from './daemon-sets.ts';
import { deployments } from './deployments.ts';
import { disruption } from './disruption.ts';
import { endpoints } from './endpoints.ts';
import { garbage } from './garbage.ts';
import { kubelet } from './kubelet.ts';
import { heartbeats, nodeLifecycle } from './nodes.ts';
import { condition, isReady, nodeOf } from './pod-facts.ts';
import { replicaSets } from './replica-sets.ts';
import { scheduler } from './scheduler.ts';

const app = { app: 'virt-api' };
const pinned = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }] },
        ],
      },
    },
  },
};

/** A cluster of three nodes of which the first alone is of the control plane, with everybody at work. */
async function cluster() {
  const clock = manualClock('2026-01-05T10:00:00Z');
  const api = apiServer({
    clock,
    version: 'v1.31.4',
    ...chance('controllers'),
    calls: [],
    hands: () => {
      throw new Error('no calls here');
    },
  });
  const acts: string[] = [];
  const counted = (each: Controller): Controller => ({
    ...each,
    get reads() {
      return each.reads;
    },
    act: (floor) => {
      acts.push(each.name);
      return each.act(floor);
    },
  });
  const all = [
    garbage(api),
    heartbeats,
    nodeLifecycle,
    deployments,
    replicaSets,
    daemonSets,
    scheduler,
    kubelet,
    disruption,
    endpoints,
  ];
  const troubles: string[] = [];
  const rounds = runActors(
    clock,
    all.map((each) => controllerTurn(api, clock, counted(each))),
    (who, error) => troubles.push(`${who}: ${error}`),
  );
  const send = (method: string, path: string, body?: Json) =>
    api.answer({ method, path, body, contentType: method === 'PATCH' ? MERGE : 'application/json' });
  const paths: Record<string, string> = { Namespace: '/api/v1/namespaces', Node: '/api/v1/nodes' };
  for (const object of [
    ...namespaces('default', 'kube-node-lease'),
    ...['n1', 'n2', 'n3'].map((each, index) => node(each, `10.0.0.${index}`, 'Harvester v1.4.2', 'v1.31.4')),
  ]) {
    const bare =
      name(object) === 'n2' || name(object) === 'n3'
        ? { ...object, metadata: { name: name(object), labels: { 'kubernetes.io/hostname': name(object) } } }
        : object;
    await send('POST', paths[textAt(object, 'kind') ?? ''] ?? '', bare);
  }
  const settle = async () => {
    for (let round = 0; round < 30; round++) {
      const before = api.store.revision();
      await rounds.once();
      if (api.store.revision() === before) return;
    }
    throw new Error('the controllers never rest');
  };
  const pods = (selector: JsonObject = app) =>
    api.store
      .snapshot('/pods')
      .objects.filter((pod) => Object.entries(selector).every(([key, value]) => labels(pod)[key] === value));
  return { api, clock, send, settle, pods, acts, troubles, once: rounds.once };
}

const web = (spec: JsonObject = {}) =>
  deployment({
    namespace: 'default',
    name: 'virt-api',
    labels: app,
    replicas: 2,
    container: 'main',
    image: 'none',
    spec,
  });
const ns = '/apis/apps/v1/namespaces/default';
const budgetPath = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const budget = made(['policy/v1', 'PodDisruptionBudget'], ['default', 'virt-api-pdb'], {
  spec: { minAvailable: 1, selector: { matchLabels: app } },
});
const evict = (pod: JsonObject | undefined) =>
  [
    'POST',
    `/api/v1/namespaces/default/pods/${pod && name(pod)}/eviction`,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod ? name(pod) : '' } },
  ] as const;

describe('the controllers together', () => {
  it('play the drain that cannot end while the pods are pinned to the cordoned node, and its end', async () => {
    const { send, settle, pods, api, troubles } = await cluster();
    await send('POST', `${ns}/deployments`, web(pinned));
    await send('POST', budgetPath, budget);
    await settle();
    const allowed = () =>
      numberAt(api.store.get('policy/poddisruptionbudgets', 'default/virt-api-pdb'), 'status', 'disruptionsAllowed');
    expect([pods().map(nodeOf), allowed()]).toEqual([['n1', 'n1'], 1]);

    await send('PATCH', '/api/v1/nodes/n1', { spec: { unschedulable: true } });
    await settle();
    const first = await send(...evict(pods()[0]));
    await settle();
    const second = await send(...evict(pods().find(isReady)));

    expect([first.code, second.code, allowed()]).toEqual([201, 429, 0]);
    const stuck = pods().find((pod) => nodeOf(pod) === undefined);
    expect(textAt(stuck && condition(stuck, 'PodScheduled'), 'message')).toContain(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
    );

    await send('PATCH', `${ns}/deployments/virt-api`, { spec: { template: { spec: { affinity: null } } } });
    await settle();

    expect(pods().map(nodeOf).toSorted()).toEqual(['n2', 'n3']);
    expect([pods().every(isReady), allowed()]).toEqual([true, 1]);
    expect(troubles).toEqual([]);
  });

  it('never let a rolling update go below what must stay available', async () => {
    const { send, settle, pods, once, api } = await cluster();
    await send('POST', `${ns}/deployments`, { ...web(), spec: { ...Object(web().spec), replicas: 4 } });
    await settle();

    await send('PATCH', `${ns}/deployments/virt-api`, {
      spec: { template: { metadata: { annotations: { restarted: 'now' } } } },
    });
    const ready: number[] = [];
    for (let round = 0; round < 20; round++) {
      await once();
      ready.push(pods().filter(isReady).length);
    }

    expect(Math.min(...ready)).toBeGreaterThanOrEqual(3);
    expect(pods().map((pod) => at(pod, 'metadata', 'annotations', 'restarted'))).toEqual(['now', 'now', 'now', 'now']);
    const status = at(api.store.get('apps/deployments', 'default/virt-api'), 'status');
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      unavailableReplicas: 0,
    });
  });

  it('keep a daemon on each node that fits, also a cordoned one, and replace its pods one by one', async () => {
    const { send, settle, pods, once } = await cluster();
    const spec = { containers: [{ name: 'main', image: 'none' }] };
    await send('PATCH', '/api/v1/nodes/n2', { spec: { unschedulable: true } });
    await send(
      'POST',
      `${ns}/daemonsets`,
      made(['apps/v1', 'DaemonSet'], ['default', 'daemon'], {
        spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec } },
      }),
    );
    await settle();
    expect(pods().map(nodeOf).toSorted()).toEqual(['n1', 'n2', 'n3']);

    await send('PATCH', `${ns}/daemonsets/daemon`, {
      spec: { template: { metadata: { annotations: { restarted: 'now' } } } },
    });
    const ready: number[] = [];
    for (let round = 0; round < 20; round++) {
      await once();
      ready.push(pods().filter(isReady).length);
    }

    expect(Math.min(...ready)).toBe(2);
    expect(pods().map((pod) => at(pod, 'metadata', 'annotations', 'restarted'))).toEqual(['now', 'now', 'now']);
  });

  it('take away what a deleted Deployment owned, and everything in a deleted namespace', async () => {
    const { send, settle, pods, api } = await cluster();
    await send('POST', `${ns}/deployments`, web());
    await settle();

    await send('DELETE', `${ns}/deployments/virt-api`);
    await settle();
    expect([pods(), api.store.snapshot('apps/replicasets').objects]).toEqual([[], []]);

    await send('POST', `${ns}/deployments`, web());
    await settle();
    await send('DELETE', '/api/v1/namespaces/default');
    await settle();
    expect([pods(), api.store.get('/namespaces', 'default')]).toEqual([[], undefined]);
  });

  it('tell a Service which of its pods are ready', async () => {
    const { send, settle, api } = await cluster();
    await send(
      'POST',
      '/api/v1/namespaces/default/services',
      made(['v1', 'Service'], ['default', 'virt-api'], {
        spec: { selector: app, ports: [{ port: 443, targetPort: 8443 }] },
      }),
    );
    await send('POST', `${ns}/deployments`, web());
    await settle();

    const subset = () => listAt(api.store.get('/endpoints', 'default/virt-api'), 'subsets')[0];
    expect([listAt(subset(), 'addresses').length, listAt(subset(), 'notReadyAddresses').length]).toEqual([2, 0]);

    const [pod] = api.store.snapshot('/pods').objects;
    const status = {
      containerStatuses: [
        { name: 'main', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
      conditions: [{ type: 'Ready', status: 'False' }],
    };
    await send('PATCH', `/api/v1/namespaces/default/pods/${pod && name(pod)}/status`, { status });
    await settle();

    expect([listAt(subset(), 'addresses').length, listAt(subset(), 'notReadyAddresses').length]).toEqual([1, 1]);
  });

  it('rest while nothing changes, but for heartbeats', async () => {
    const { clock, once, settle, send, acts, api } = await cluster();
    await send('POST', `${ns}/deployments`, web());
    await settle();
    acts.splice(0);
    const before = api.store.snapshot('/pods').objects;

    for (let second = 0; second < 20; second++) {
      clock.advance(1000);
      await once();
    }

    expect(new Set(acts.filter((each) => !['heartbeats', 'node lifecycle', 'garbage'].includes(each)))).toEqual(
      new Set(),
    );
    expect(api.store.snapshot('/pods').objects).toBe(before);
    const lease = api.store.get('coordination.k8s.io/leases', 'kube-node-lease/n1');
    expect(textAt(lease, 'spec', 'renewTime')).toBe('2026-01-05T10:00:20.000000Z');
  });
});
