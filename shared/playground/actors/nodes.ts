import type { Json, JsonObject } from '../../handler.ts';
import { stamp } from '../api/writes.ts';
import { at, listAt, numberAt, objectAt, same, textAt } from '../json.ts';
import { type Controller, type Floor, isGoing, MERGE, name, pathOf, report } from './controller.ts';
import { toleration } from './placement.ts';
import { condition, isTrue, nodeOf, phase, withCondition } from './pod-facts.ts';

const LEASE_EVERY = 10_000;
/** kubelet's nodeStatusReportFrequency: what did not change is told again this often. */
const STATUS_EVERY = 300_000;

/** Renews each Ready node's Lease and, more rarely, the times in its conditions. Silent nodes are left as they are. */
export const heartbeats: Controller = {
  name: 'heartbeats',
  plays: 'kubelet: kubernetes pkg/kubelet/kubelet_node_status.go and the node leases',
  reads: ['/nodes'],
  timed: true,
  async act(floor) {
    for (const node of floor.list('/nodes')) {
      if (!isTrue(node, 'Ready')) continue;
      await renewLease(floor, node);
      await renewConditions(floor, node);
    }
  },
};

const isOlder = (time: string | undefined, than: number, now: Date) =>
  time === undefined || now.getTime() - Date.parse(time) >= than;

async function renewLease(floor: Floor, node: JsonObject): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const lease = floor
    .list('coordination.k8s.io/leases')
    .find((each) => name(each) === name(node) && textAt(each, 'metadata', 'namespace') === 'kube-node-lease');
  if (lease && !isOlder(textAt(lease, 'spec', 'renewTime'), LEASE_EVERY, floor.now())) return;
  const renewTime = floor.now().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name(node), leaseDurationSeconds: 40, renewTime };
  if (lease) await floor.send('PATCH', `${leases}/${name(node)}`, { spec }, MERGE);
  else
    await floor.send('POST', leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: name(node), namespace: 'kube-node-lease' },
      spec,
    });
}

async function renewConditions(floor: Floor, node: JsonObject): Promise<void> {
  if (!isOlder(textAt(condition(node, 'Ready'), 'lastHeartbeatTime'), STATUS_EVERY, floor.now())) return;
  const lastHeartbeatTime = stamp(floor.now());
  const conditions = listAt(node, 'status', 'conditions').map(
    (each): Json => ({ lastTransitionTime: lastHeartbeatTime, ...objectAt(each), lastHeartbeatTime }),
  );
  await report(floor, `/api/v1/nodes/${name(node)}`, node, { conditions });
}

const TAINT = 'node.kubernetes.io/';
const OWN = ['not-ready', 'unreachable', 'unschedulable'].map((key) => `${TAINT}${key}`);

/** Taints nodes that are cordoned or not Ready, marks the pods there as not ready, and evicts those whose toleration ends. */
export const nodeLifecycle: Controller = {
  name: 'node lifecycle',
  plays: 'kube-controller-manager: kubernetes pkg/controller/nodelifecycle and pkg/controller/tainteviction',
  reads: ['/nodes', '/pods'],
  timed: true,
  async act(floor) {
    for (const node of floor.list('/nodes')) await taint(floor, node);
    const nodes = new Map(floor.list('/nodes').map((node) => [name(node), node]));
    for (const pod of floor.list('/pods')) {
      const node = nodes.get(nodeOf(pod) ?? '');
      if (!node || isTrue(node, 'Ready') || isGoing(pod)) continue;
      await markNotReady(floor, pod);
      await evictByTaint(floor, pod, node);
    }
  },
};

async function taint(floor: Floor, node: JsonObject): Promise<void> {
  const before = listAt(node, 'spec', 'taints');
  const ready = textAt(condition(node, 'Ready'), 'status');
  const state = ready === 'True' || ready === undefined ? undefined : ready === 'Unknown' ? 'unreachable' : 'not-ready';
  const wanted: readonly JsonObject[] = [
    ...(at(node, 'spec', 'unschedulable') === true ? [{ key: `${TAINT}unschedulable`, effect: 'NoSchedule' }] : []),
    ...(state ? ['NoSchedule', 'NoExecute'].map((effect) => ({ key: `${TAINT}${state}`, effect })) : []),
  ];
  const since = stamp(floor.now());
  const own = wanted.map(
    (each): Json =>
      before.find((old) => textAt(old, 'key') === each.key && textAt(old, 'effect') === each.effect) ?? {
        ...each,
        timeAdded: since,
      },
  );
  const others = before.filter((each) => !OWN.includes(textAt(each, 'key') ?? ''));
  const taints = [...others, ...own];
  if (same(taints, before)) return;
  await floor.send(
    'PATCH',
    `/api/v1/nodes/${name(node)}`,
    { spec: { taints: taints.length > 0 ? taints : null } },
    MERGE,
  );
}

async function markNotReady(floor: Floor, pod: JsonObject): Promise<void> {
  if (phase(pod) !== 'Running' || !isTrue(pod, 'Ready')) return;
  const conditions = withCondition(pod, { type: 'Ready', status: 'False' }, stamp(floor.now()));
  await report(floor, pathOf('v1', 'pods', pod), pod, { conditions });
}

async function evictByTaint(floor: Floor, pod: JsonObject, node: JsonObject): Promise<void> {
  for (const each of listAt(node, 'spec', 'taints').filter((one) => textAt(one, 'effect') === 'NoExecute')) {
    const tolerated = toleration(listAt(pod, 'spec', 'tolerations'), each);
    const seconds = tolerated === undefined ? 0 : numberAt(tolerated, 'tolerationSeconds');
    if (seconds === undefined || !isOlder(textAt(each, 'timeAdded'), seconds * 1000, floor.now())) continue;
    await floor.send('DELETE', pathOf('v1', 'pods', pod));
    return;
  }
}
