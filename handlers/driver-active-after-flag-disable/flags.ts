import type { Look } from '../../shared/handler.ts';
import { isBefore } from '../../shared/versions.ts';
import type { Behaviour } from './finding.ts';
import { Feature } from './kinds.ts';

export const HARVESTER = 'harvester';
export const BAREMETAL = 'harvester-baremetal-container-workload';
/** Off in the Rancher that Harvester embeds (harvester-installer 50-defaults.yaml): there the driver is nobody's business. */
export const MULTI_CLUSTER = 'multi-cluster-management';

/** Whether a flag is on: `lockedValue ?? spec.value ?? status.default`; undefined where none of them can be read. */
export const effective = (feature: Feature | undefined) =>
  feature?.status?.lockedValue ?? feature?.spec?.value ?? feature?.status?.default;

export const flag = (look: Look, name: string) => look.get(Feature, { name });

/** What this Rancher does about the driver when the flag is turned off (rancher #48920, #48932, #49557). */
export async function behaviourOf(look: Look): Promise<Behaviour> {
  const { rancher } = await look.version();
  const isEarly = isBefore(rancher, '2.11.0-alpha8');
  if (isEarly === undefined) return 'unknown';
  if (isEarly) return 'ignores';
  return isBefore(rancher, '2.11.0-rc8') ? 'panics' : 'follows';
}
