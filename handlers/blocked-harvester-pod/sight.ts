import type { Look, ObjectRef } from '../../shared/handler.ts';
import { conditionOf, Deployment, isTrue, Node, type Pod, Upgrade } from '../../shared/kinds.ts';
import { isReady, podsOf, type Standing, SYSTEM, standingOf } from './pods.ts';

export const NAME = 'harvester';
export const WEBHOOK = 'harvester-webhook';
export const VIRT_API = 'virt-api';

/** Whether something serves; `unknown` where it was not captured. */
export type Availability = 'yes' | 'no' | 'unknown';

export async function available(look: Look, name: string): Promise<Availability> {
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name });
  if (deployment?.status) return (deployment.status.availableReplicas ?? 0) > 0 ? 'yes' : 'no';
  return deployment === undefined && (await look.captured(Deployment, SYSTEM)) ? 'no' : 'unknown';
}

/**
 * Whether harvester-webhook answers. Its Service's endpoints are its ready pods, so those are read; without any, its
 * Deployment.
 */
export async function webhookAvailable(look: Look, webhooks: readonly Pod[]): Promise<Availability> {
  if (webhooks.length > 0) return webhooks.some(isReady) ? 'yes' : 'no';
  return available(look, WEBHOOK);
}

/** Harvester as a picture shows it. */
export interface Sight {
  readonly look: Look;
  readonly ref: ObjectRef;
  readonly deployment: Deployment | undefined;
  readonly pods: readonly { readonly pod: Pod; readonly standing: Standing }[];
  readonly webhooks: readonly Pod[];
  readonly webhook: Availability;
  readonly nodes: readonly Node[];
  /** The upgrade that is under way, by name. */
  readonly upgrade: string | undefined;
}

export async function sightOf(look: Look, ref: ObjectRef): Promise<Sight> {
  const { servers, webhooks } = await podsOf(look);
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name: NAME });
  const upgrades = await look.list(Upgrade, { labels: { 'harvesterhci.io/latestUpgrade': 'true' } });
  const upgrade = upgrades.find((one) => {
    const completed = conditionOf({ status: one.status }, 'Completed');
    return one.status !== undefined && (completed === undefined || completed.status === 'Unknown');
  });
  return {
    look,
    ref,
    deployment,
    pods: servers.map((pod) => ({ pod, standing: standingOf(pod, look.at) })),
    webhooks,
    webhook: await webhookAvailable(look, webhooks),
    nodes: [...(await look.list(Node))].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
    upgrade: upgrade?.metadata.name,
  };
}

/** Taints of management nodes, which Harvester's own pods tolerate; a witness has another one. */
const TOLERATED = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Why no pod may be scheduled onto the node; `none`: one may. A taint that prefers only is none. */
export function closedBy(node: Node): 'none' | 'cordoned' | 'disk-pressure' | 'not-ready' | 'other-taint' {
  if (!isTrue(node, 'Ready')) return 'not-ready';
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (taints.some(({ key }) => key === 'node.kubernetes.io/disk-pressure')) return 'disk-pressure';
  if (node.spec?.unschedulable || taints.some(({ key }) => key === 'node.kubernetes.io/unschedulable'))
    return 'cordoned';
  return taints.some(({ key }) => !TOLERATED.includes(key)) ? 'other-taint' : 'none';
}

/** Since when Harvester is not available, as far as its Deployment tells. */
export function since({ deployment }: Sight): { since: Date } | undefined {
  const condition = conditionOf({ status: deployment?.status }, 'Available');
  const time = condition?.status === 'False' ? Date.parse(condition.lastTransitionTime ?? '') : Number.NaN;
  return Number.isNaN(time) ? undefined : { since: new Date(time) };
}
