import type { Hands } from '../../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { Deployment, Node, Upgrade } from '../../../shared/kinds.ts';
import { FLEET, SYSTEM } from '../sight.ts';
import { MACHINES, UPGRADE } from './objects.ts';

export const nodeRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name });
export const upgradeRef: ObjectRef = {
  apiVersion: Upgrade.apiVersion,
  kind: Upgrade.kind,
  namespace: SYSTEM,
  name: UPGRADE,
};
export const machineRef = (name: string): ObjectRef => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', namespace: FLEET, name },
});
const planRef = (machine: string): ObjectRef => ({
  ...{ apiVersion: 'v1', kind: 'Secret', namespace: FLEET, name: `${machine}-machine-plan` },
});
export const clusterRef: ObjectRef = {
  ...{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', namespace: FLEET, name: 'local' },
};

/** The hooks by which Rancher and Harvester speak, all of one value (rancher pkg/capr/common.go). */
export const HOOKS = {
  options: 'rke.cattle.io/drain-options',
  preDrain: 'rke.cattle.io/pre-drain',
  preHook: 'harvesterhci.io/pre-hook',
  drainDone: 'rke.cattle.io/drain-done',
  uncordon: 'rke.cattle.io/uncordon',
  postDrain: 'rke.cattle.io/post-drain',
  postHook: 'harvesterhci.io/post-hook',
} as const;

export const OPTIONS = JSON.stringify({
  ...{ deleteEmptyDirData: true, disableEviction: false, enabled: true, force: true, gracePeriod: 0 },
  ...{ ignoreDaemonSets: true, ignoreErrors: false, postDrainHooks: [{ annotation: HOOKS.postHook }] },
  ...{ preDrainHooks: [{ annotation: HOOKS.preHook }], skipWaitForDeleteTimeoutSeconds: 0, timeout: 0 },
});

export type Hooks = Readonly<Record<string, string>>;

export const machineOf = (node: string) => MACHINES.find(([name]) => name === node)?.[1] ?? '';

export async function hooksOf(hands: Hands, node: string): Promise<Hooks> {
  const plan = await hands.get(planRef(machineOf(node)));
  return Object(Object(plan?.metadata).annotations);
}

export const hook = (hands: Hands, node: string, annotations: JsonObject) =>
  hands.merge(planRef(machineOf(node)), { metadata: { annotations } });

export async function upgradeNow(hands: Hands): Promise<Upgrade | undefined> {
  const found = await hands.get(upgradeRef);
  return found && Upgrade.schema.parse(found);
}

export async function nodeNow(hands: Hands, name: string): Promise<Node | undefined> {
  const found = await hands.get(nodeRef(name));
  return found && Node.schema.parse(found);
}

export async function deploymentNow(hands: Hands, name: string): Promise<Deployment | undefined> {
  const found = await hands.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: SYSTEM, name });
  return found && Deployment.schema.parse(found);
}

/** Every pod is of the present template (KubeVirt counts so; a pod that waits for a node does not hold it up). */
export const hasRolledOver = ({ metadata, spec, status }: Deployment): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
  status?.updatedReplicas === spec?.replicas &&
  status?.replicas === spec?.replicas &&
  (status?.availableReplicas ?? 0) > 0;

/** When each pretend cluster's actors first saw something: what a real controller keeps in its work queue. */
const firstSeen = new WeakMap<Hands, Map<string, number>>();

/** Whether so many milliseconds have passed since this was first asked; `forget` begins anew. */
export function hasWaited(hands: Hands, what: string, ms: number): boolean {
  const seen = firstSeen.get(hands) ?? new Map<string, number>();
  firstSeen.set(hands, seen);
  const since = seen.get(what) ?? hands.now().getTime();
  seen.set(what, since);
  return hands.now().getTime() - since >= ms;
}

export const forget = (hands: Hands, what: string) => void firstSeen.get(hands)?.delete(what);
