import type { Actor, Hands } from '../../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { isDaemonSetPod, isTrue, Pod, PodDisruptionBudget, type Upgrade } from '../../../shared/kinds.ts';
import { holds } from '../budgets.ts';
import { MACHINES } from './objects.ts';
import {
  clusterRef,
  forget,
  HOOKS,
  hasWaited,
  hook,
  hooksOf,
  machineOf,
  machineRef,
  nodeRef,
  OPTIONS,
  upgradeNow,
} from './records.ts';

/** One pass of the drain: options say 0, which means ten minutes (rancher machinedrain.go). */
const PASS = 600_000;
/** How long rancher-system-agent takes for RKE2's plan on a quick host. */
const PLAN = 120_000;

/**
 * Plays Rancher's planner and its machine-drain controller: one node after the other, the bootstrap node first; cordon,
 * wait for Harvester's hook, drain, have RKE2's plan applied, wait for the other hook, uncordon.
 */
export const rancherDrain: Actor = {
  name: 'rancher-drain',
  plays: 'rancher v2.10.1 pkg/capr/planner/{planner,drain}.go and pkg/controllers/capr/machinedrain/machinedrain.go',
  async act(hands) {
    const upgrade = await upgradeNow(hands);
    if (upgrade?.metadata.labels['harvesterhci.io/upgradeState'] !== 'UpgradingNodes') return;
    const node = await nextNode(hands, upgrade);
    if (node !== undefined) await advance(hands, node);
  },
};

/** The node that is under way, else the next one that was not upgraded. */
async function nextNode(hands: Hands, { status }: Upgrade): Promise<string | undefined> {
  for (const [node] of MACHINES) if ((await hooksOf(hands, node))[HOOKS.options] !== undefined) return node;
  return MACHINES.find(([node]) => status?.nodeStatuses?.[node]?.state === 'Images preloaded')?.[0];
}

async function advance(hands: Hands, node: string): Promise<void> {
  const hooks = await hooksOf(hands, node);
  const is = (name: string) => hooks[name] === OPTIONS;
  if (!is(HOOKS.preDrain)) {
    await hands.merge(nodeRef(node), { spec: { unschedulable: true } });
    return hook(hands, node, { [HOOKS.options]: OPTIONS, [HOOKS.preDrain]: OPTIONS });
  }
  if (!is(HOOKS.preHook)) return say(hands, node, 'draining', 'draining node');
  if (!is(HOOKS.drainDone)) return drain(hands, node);
  if (!is(HOOKS.postDrain)) return plan(hands, node);
  if (!is(HOOKS.postHook)) return say(hands, node, 'uncordoning', 'waiting for uncordon to finish');
  await hands.merge(nodeRef(node), { spec: { unschedulable: null } });
  await say(hands, node, undefined, undefined);
  await hook(hands, node, Object.fromEntries(Object.values(HOOKS).map((name) => [name, null])));
}

async function drain(hands: Hands, node: string): Promise<void> {
  const left = await evict(hands, node);
  if (left.length === 0) {
    forget(hands, `pass ${node}`);
    await hook(hands, node, { [HOOKS.drainDone]: OPTIONS });
    return say(hands, node, 'draining', 'drain completed');
  }
  const isOver = hasWaited(hands, `pass ${node}`, PASS);
  const errors = left.map(
    ({ metadata }) =>
      `error when evicting pods/"${metadata.name}" -n "${metadata.namespace}": global timeout reached: 10m0s`,
  );
  const failed = `error draining machine ${machineOf(node)}: [${errors.join(', ')}]`;
  return say(hands, node, 'draining', isOver ? failed : 'draining node');
}

/** Evicts what budgets let go; answers what is left on the node. Pods of VMs left it before, with the pre-drain job. */
async function evict(hands: Hands, node: string): Promise<readonly Pod[]> {
  const pods = (await hands.list(Pod)).map((pod) => Pod.schema.parse(pod));
  const budgets = (await hands.list(PodDisruptionBudget)).map((one) => PodDisruptionBudget.schema.parse(one));
  const left = pods.filter((pod) => pod.spec?.nodeName === node && isOurs(pod));
  const spent = new Set<PodDisruptionBudget>();
  for (const pod of left) {
    const holding = budgets.filter((budget) => holds(budget, pod));
    const [budget, another] = holding;
    if (pod.metadata.deletionTimestamp || another || (budget && spent.has(budget))) continue;
    if (budget && !allows(budget, pods)) continue;
    if (budget) spent.add(budget);
    const { namespace = '', name } = pod.metadata;
    await hands.remove({ apiVersion: 'v1', kind: 'Pod', namespace, name });
  }
  return left;
}

const isOurs = (pod: Pod) =>
  !isDaemonSetPod(pod) &&
  pod.metadata.ownerReferences.some(({ kind }) => kind === 'ReplicaSet') &&
  !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');

/** As the eviction API counts: what the budget's status says, less what is on its way out since. */
function allows(budget: PodDisruptionBudget, pods: readonly Pod[]): boolean {
  const healthy = pods.filter((pod) => holds(budget, pod) && isTrue(pod, 'Ready') && !pod.metadata.deletionTimestamp);
  const { disruptionsAllowed = 0, desiredHealthy = 0 } = budget.status ?? {};
  return disruptionsAllowed > 0 && healthy.length > desiredHealthy;
}

async function plan(hands: Hands, node: string): Promise<void> {
  if (!hasWaited(hands, `plan ${node}`, PLAN)) return say(hands, node, 'configuring', 'waiting for plan to be applied');
  forget(hands, `plan ${node}`);
  await hook(hands, node, { [HOOKS.uncordon]: OPTIONS, [HOOKS.postDrain]: OPTIONS });
}

/** What it waits for, on the Machine and on the Cluster; nothing: all is reconciled. */
export async function say(
  hands: Hands,
  node: string,
  verb: string | undefined,
  message: string | undefined,
): Promise<void> {
  const machine = machineOf(node);
  const tier = node === MACHINES[0]?.[0] ? 'bootstrap' : 'worker';
  const told = `${verb} ${tier} node(s) ${machine}: ${message}`;
  await tell(hands, machineRef(machine), 'Reconciled', message);
  await tell(hands, clusterRef, 'Updated', message === undefined ? undefined : told);
}

async function tell(hands: Hands, ref: ObjectRef, type: string, message: string | undefined) {
  const object = await hands.get(ref);
  const [before] = [Object(object?.status).conditions ?? []].flat();
  if (!object || Object(before).message === message) return;
  const condition: JsonObject =
    message === undefined ? { type, status: 'True' } : { type, status: 'Unknown', reason: 'Waiting', message };
  await hands.merge(ref, { status: { conditions: [condition] } }, 'status');
}
