import { Deployment } from '../../shared/kinds.ts';
import type { Blocked } from './finding.ts';
import type { Component, Signs } from './placement-signs.ts';
import { roomFor } from './room.ts';
import { settledSince } from './settled.ts';
import { MINUTE, type Sight, SYSTEM, underWay } from './sight.ts';

export const OPERATOR = 'virt-operator';
/** How long the roll-over of both Deployments may take. */
export const ROLL_OVER = 5 * MINUTE;

/** Whether somebody is there to carry the placement over to the Deployments. */
export async function operatorOf({ look }: Sight): Promise<'available' | 'unavailable' | 'unknown'> {
  const operator = await look.get(Deployment, { namespace: SYSTEM, name: OPERATOR });
  if (operator) return (operator.status?.availableReplicas ?? 0) > 0 ? 'available' : 'unavailable';
  return (await look.captured(Deployment, SYSTEM)) ? 'unavailable' : 'unknown';
}

/** Whether every sign of the fault was seen, at one and the same Deployment. */
export const allSigns = ({ components, placement }: Signs, { node }: Sight): boolean =>
  placement === 'absent' && node !== undefined && components.some(isWhole);

export const isWhole = ({ isExhausted, isHeld, isPinned, isStranded }: Component) =>
  [isExhausted, isHeld, isPinned, isStranded].every((sign) => sign === 'yes');

/** What speaks against patching the placement now; each is a reason to refuse. */
export async function blockedBy(sight: Sight, signs: Signs): Promise<readonly Blocked[]> {
  const { kubevirt, components } = signs;
  const deployments = components.flatMap(({ deployment }) => deployment ?? []);
  const since = kubevirt && (await settledSince(sight.look, kubevirt, 'f:spec'));
  const room = await roomFor(sight.look, deployments, sight.name);
  const checks: readonly (readonly [Blocked, boolean])[] = [
    ['change-unknown', since === undefined && !isTakenOver(signs)],
    ['dwell-unknown', sight.dwell === undefined],
    ['kubevirt-deleting', kubevirt?.metadata.deletionTimestamp !== undefined],
    ['kubevirt-not-deployed', kubevirt?.status?.phase !== 'Deployed'],
    ['no-room', room === 'no'],
    ['not-all-signs-seen', !allSigns(signs, sight)],
    ['operator-unavailable', (await operatorOf(sight)) !== 'available'],
    ['recent-change', since !== undefined && sight.look.at.getTime() - since.getTime() < ROLL_OVER],
    ['room-unknown', room === 'unknown'],
    ['several-nodes', underWay(sight.upgrade).length !== 1],
  ];
  return checks.filter(([, is]) => is).map(([name]) => name);
}

/** Whether virt-operator has carried the present KubeVirt object over: it notes its generation on what it makes. */
function isTakenOver({ kubevirt, components }: Signs): boolean {
  const generation = kubevirt?.metadata.generation;
  if (generation === undefined) return false;
  return components.every(
    ({ deployment }) => deployment?.metadata.annotations['kubevirt.io/generation'] === String(generation),
  );
}
