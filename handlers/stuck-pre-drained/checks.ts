import { type Check, type Look, nameOf, type Verdict } from '../../shared/handler.ts';
import { conditionOf, Deployment, isTrue, Pod, PodDisruptionBudget, Upgrade } from '../../shared/kinds.ts';
import { isExhausted } from './budgets.ts';
import { diagnose } from './diagnose.ts';
import { Finding } from './finding.ts';
import { KubeVirt, ManagedChart } from './kinds.ts';
import { COMPONENTS, isPinned } from './placement-signs.ts';
import { FLEET, SYSTEM, sightOf } from './sight.ts';
import { failed, fixed, movedOn, upgradeEnded, waiting } from './upgrade-state.ts';

/** Whether the cluster still shows exactly what was approved. */
const placementStillBlocks: Check<Finding> = async (look, finding) => {
  const now = await diagnose(look, finding.upgrade);
  if (!now.is) return failed(now.because);
  return JSON.stringify(Finding.parse(now.finding)) === JSON.stringify(finding)
    ? fixed('KubeVirt, its Deployments and budgets are still as approved')
    : failed('KubeVirt, its Deployments, its budgets or the nodes changed since the plan was approved');
};

/** Both Deployments carry the new placement and have rolled over; virt-operator does virt-api first. */
const rolledOver: Check<Finding> = async (look) => {
  const kubevirt = await look.get(KubeVirt, { namespace: SYSTEM, name: 'kubevirt' });
  if (!kubevirt) return waiting('KubeVirt cannot be read');
  const generation = String(kubevirt.metadata.generation ?? '');
  for (const name of COMPONENTS) {
    const deployment = await look.get(Deployment, { namespace: SYSTEM, name });
    const because = deployment ? notRolled(deployment, generation) : `Deployment ${name} cannot be read`;
    if (because !== undefined) return waiting(because);
  }
  const busy = ['Progressing', 'Degraded'].find((type) => isTrue(kubevirt, type));
  if (busy !== undefined || !isTrue(kubevirt, 'Available')) return waiting(`KubeVirt is ${busy ?? 'not Available'}`);
  return fixed('virt-api and virt-controller have rolled over to the new placement');
};

function notRolled(deployment: Deployment, generation: string): string | undefined {
  const { metadata, spec, status } = deployment;
  const name = `Deployment ${metadata.name}`;
  if (isPinned(deployment)) return `${name} still requires control-plane nodes`;
  if (metadata.annotations['kubevirt.io/generation'] !== generation)
    return `virt-operator has not yet looked at ${name}`;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return `${name} has not begun to roll over`;
  const wanted = spec?.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return counts.every((count) => count === wanted) ? undefined : `${name} is rolling over`;
}

/** No pod of the two is left on the node, and both budgets allow an eviction again. */
const drainAllowed: Check<Finding> = async (look, { node }) => {
  if (!(await look.captured(Pod, SYSTEM))) return waiting('pods cannot be read');
  for (const name of COMPONENTS) {
    const pods = await look.list(Pod, { namespace: SYSTEM, labels: { 'kubevirt.io': name } });
    if (pods.some(({ spec }) => spec?.nodeName === node)) return waiting(`a pod of ${name} is still on Node ${node}`);
    const budget = await look.get(PodDisruptionBudget, { namespace: SYSTEM, name: `${name}-pdb` });
    if ((budget?.status?.disruptionsAllowed ?? 0) < 1) return waiting(`${name}-pdb allows no eviction yet`);
  }
  return fixed(`no pod of KubeVirt's control plane is left on Node ${node}`);
};

/** Rancher says that it drains the node no longer, or the node is further already. */
const drainMovedOn: Check<Finding> = async (look, finding) => {
  const verdict = await movedOn(look, finding);
  if (verdict.is !== 'waiting') return verdict;
  const upgrade = await look.get(Upgrade, finding.upgrade);
  const sight = upgrade && (await sightOf(look, upgrade, finding.node));
  const says = sight?.waiting?.for;
  if (says === undefined) return waiting(`what Rancher does at Node ${finding.node} cannot be read`);
  const isDraining = says === 'drain' || says === 'drain-error';
  return isDraining ? waiting(`Rancher still drains Node ${finding.node}`) : fixed(`Node ${finding.node} is drained`);
};

/** Before a budget is deleted: the placement is set, came to nothing, and this budget is what still blocks. */
const budgetStillBlocks: Check<Finding> = async (look, finding, target) => {
  const moved = await movedOn(look, finding);
  if (moved.is !== 'waiting') return failed(`there is nothing to relieve any more: ${moved.because}`);
  const kubevirt = await look.get(KubeVirt, { namespace: SYSTEM, name: 'kubevirt' });
  const placement = kubevirt?.spec?.infra?.nodePlacement;
  if (!placement || Object.keys(placement).length > 0)
    return failed('nodePlacement of KubeVirt is not an empty object');
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name: target.name.replace(/-pdb$/, '') });
  if (!deployment || !isPinned(deployment)) return failed(`the Deployment of ${target.name} is not pinned any more`);
  const budget = await look.get(PodDisruptionBudget, target);
  if (!budget) return absent(look, target.name);
  return isExhausted(budget)
    ? fixed(`${target.name} still allows no eviction`)
    : failed(`${target.name} allows evictions again`);
};

async function absent(look: Look, name: string): Promise<Verdict> {
  return (await look.captured(PodDisruptionBudget, SYSTEM))
    ? fixed(`${name} is gone`)
    : waiting('budgets cannot be read');
}

export const checks: Readonly<Record<string, Check<Finding>>> = {
  'budget-still-blocks': budgetStillBlocks,
  'deployments-rolled-over': rolledOver,
  'drain-allowed': drainAllowed,
  'drain-moved-on': drainMovedOn,
  'node-moved-on': movedOn,
  'placement-still-blocks': placementStillBlocks,
  'upgrade-ended': upgradeEnded,
};

/** The node has moved on, and Fleet does not complain of the placement that was set. */
export async function verify(look: Look, finding: Finding): Promise<Verdict> {
  const verdict = await movedOn(look, finding);
  if (verdict.is !== 'fixed' || finding.about === 'stall') return verdict;
  const chart = await look.get(ManagedChart, { namespace: FLEET, name: 'harvester' });
  const ready = chart && conditionOf(chart, 'Ready');
  if (ready?.status === 'False' && /kubevirt/i.test(ready.message ?? '')) {
    return waiting(`${nameOf({ ...finding.kubevirt })} differs from the chart, says Fleet: it may put it back`);
  }
  return verdict;
}
