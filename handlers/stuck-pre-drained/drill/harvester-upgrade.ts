import type { Actor, Hands } from '../../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { isTrue, Job, type Upgrade } from '../../../shared/kinds.ts';
import { COMPONENTS } from '../placement-signs.ts';
import { SYSTEM } from '../sight.ts';
import { KUBEVIRT, MACHINES, UPGRADE } from './objects.ts';
import {
  clusterRef,
  deploymentNow,
  HOOKS,
  hasRolledOver,
  hook,
  hooksOf,
  nodeNow,
  nodeRef,
  upgradeNow,
  upgradeRef,
} from './records.ts';

const STATE = 'harvesterhci.io/upgradeState';
const TAINT = { key: 'kubevirt.io/drain', value: 'draining', effect: 'NoSchedule' } as const;

/** How long the two jobs take where no VM and no volume holds them up. */
const LASTS: Readonly<Record<string, number>> = { 'pre-drain': 20_000, 'post-drain': 45_000 };

/**
 * Plays Harvester's upgrade controllers from phase 3 on (pkg/controller/master/upgrade): the system services, the two
 * jobs of each node, and the hooks by which they answer Rancher.
 */
export const harvesterUpgrade: Actor = {
  name: 'harvester-upgrade',
  plays: 'harvester v1.4.2-rc1 pkg/controller/master/upgrade/{upgrade,secret,job}_controller.go and upgrade_node.sh',
  async act(hands) {
    const upgrade = await upgradeNow(hands);
    switch (upgrade?.metadata.labels[STATE]) {
      case 'UpgradingSystemServices':
        return beginNodes(hands, upgrade);
      case 'UpgradingNodes':
        return upgradeNodes(hands, upgrade);
      default:
        return;
    }
  },
};

/** Phase 3 ends when KubeVirt is the new one and has rolled over; then Rancher is asked to go through the nodes. */
async function beginNodes(hands: Hands, upgrade: Upgrade): Promise<void> {
  const kubevirt = await hands.get({
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    namespace: SYSTEM,
    name: 'kubevirt',
  });
  if (Object(kubevirt?.status).observedKubeVirtVersion !== KUBEVIRT.after) return;
  for (const name of COMPONENTS) {
    const deployment = await deploymentNow(hands, name);
    const isWhole =
      deployment && hasRolledOver(deployment) && deployment.status?.availableReplicas === deployment.spec?.replicas;
    if (!isWhole) return;
  }
  await hands.merge(clusterRef, { spec: { rkeConfig: { provisionGeneration: 2 } } });
  await hands.merge(upgradeRef, {
    metadata: { labels: { [STATE]: 'UpgradingNodes' } },
    status: { conditions: withCondition(upgrade, 'SystemServicesUpgraded') },
  });
}

const withCondition = ({ status }: Upgrade, type: string): JsonObject[] => [
  ...(status?.conditions ?? [])
    .filter((one) => one.type !== type)
    .map(({ type: name, status: is }) => ({ type: name, status: is })),
  { type, status: 'True' },
];

async function upgradeNodes(hands: Hands, upgrade: Upgrade): Promise<void> {
  const states = upgrade.status?.nodeStatuses ?? {};
  for (const [node] of MACHINES) await step(hands, node, states[node]?.state ?? '');
  const isOver = Object.values(states).every(({ state }) => state === 'Succeeded');
  if (isOver) await end(hands, upgrade);
}

async function step(hands: Hands, node: string, state: string): Promise<void> {
  const hooks = await hooksOf(hands, node);
  const say = (next: string) => hands.merge(upgradeRef, { status: { nodeStatuses: { [node]: { state: next } } } });
  switch (state) {
    case 'Images preloaded':
      if (hooks[HOOKS.preDrain] === undefined) return;
      await startJob(hands, node, 'pre-drain');
      return say('Pre-draining');
    case 'Pre-draining':
      if (!(await isDone(hands, node, 'pre-drain'))) return;
      await taint(hands, node, true);
      await say('Pre-drained');
      return hook(hands, node, { [HOOKS.preHook]: hooks[HOOKS.preDrain] ?? null });
    case 'Pre-drained':
      if (hooks[HOOKS.postDrain] === undefined) return;
      await startJob(hands, node, 'post-drain');
      return say('Post-draining');
    case 'Post-draining':
      if (!(await isDone(hands, node, 'post-drain'))) return;
      await taint(hands, node, false);
      await say('Succeeded');
      return hook(hands, node, { [HOOKS.postHook]: hooks[HOOKS.postDrain] ?? null });
    default:
      return;
  }
}

const jobRef = (node: string, type: string): ObjectRef => ({
  ...{ apiVersion: Job.apiVersion, kind: Job.kind, namespace: SYSTEM, name: `${UPGRADE}-${type}-${node}` },
});

async function startJob(hands: Hands, node: string, type: string): Promise<void> {
  const labels = {
    'harvesterhci.io/upgrade': UPGRADE,
    'harvesterhci.io/upgradeComponent': 'node',
    'harvesterhci.io/node': node,
    'harvesterhci.io/upgradeJobType': type,
  };
  const { name } = jobRef(node, type);
  const container = { name: 'apply', image: 'rancher/harvester-upgrade:v1.4.2-rc1' };
  await hands.create({
    apiVersion: Job.apiVersion,
    kind: Job.kind,
    metadata: { name, namespace: SYSTEM, labels },
    spec: {
      // This actor plays the job too: with another manager than its own the job controller leaves it alone.
      managedBy: 'drill.gleaner.dev/harvester-upgrade',
      ...{ backoffLimit: 6, completions: 1, parallelism: 1, ttlSecondsAfterFinished: 604_800 },
      template: { metadata: { labels }, spec: { nodeName: node, restartPolicy: 'Never', containers: [container] } },
    },
    status: { active: 1, ready: 0, startTime: stamp(hands.now()) },
  });
}

/** Lets the job end in its time; says whether it is complete. */
async function isDone(hands: Hands, node: string, type: string): Promise<boolean> {
  const found = await hands.get(jobRef(node, type));
  if (!found) {
    await startJob(hands, node, type);
    return false;
  }
  const job = Job.schema.parse(found);
  if (isTrue(job, 'Complete')) return true;
  const startTime = job.status?.startTime ?? stamp(hands.now());
  if (hands.now().getTime() - Date.parse(startTime) < (LASTS[type] ?? 0)) return false;
  const lastTransitionTime = stamp(hands.now());
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((one) => ({
    ...{
      type: one,
      status: 'True',
      reason: 'CompletionsReached',
      lastTransitionTime,
      lastProbeTime: lastTransitionTime,
    },
  }));
  const completionTime = lastTransitionTime;
  await hands.merge(
    jobRef(node, type),
    { status: { active: 0, ready: 0, succeeded: 1, startTime, completionTime, conditions } },
    'status',
  );
  return true;
}

/** Times of the API are whole seconds. */
const stamp = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z');

/** The pre-drain script taints the node for KubeVirt, the post-drain script takes the taint away. */
export async function taint(hands: Hands, name: string, isOn: boolean): Promise<void> {
  const node = await nodeNow(hands, name);
  const others = (node?.spec?.taints ?? []).filter(({ key }) => key !== TAINT.key);
  const kept = others.map(({ key, value, effect }) => ({ key, effect, ...(value !== undefined && { value }) }));
  await hands.merge(nodeRef(name), { spec: { taints: isOn ? [...kept, { ...TAINT }] : kept } });
}

/** The upgrade is over. */
export async function end(hands: Hands, upgrade: Upgrade): Promise<void> {
  const conditions = withCondition(upgrade, 'NodesUpgraded').filter(({ type }) => type !== 'Completed');
  await hands.merge(upgradeRef, {
    metadata: { labels: { [STATE]: 'Succeeded' } },
    status: { conditions: [...conditions, { type: 'Completed', status: 'True' }] },
  });
}
