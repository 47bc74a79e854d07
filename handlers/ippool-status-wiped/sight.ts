import { type Look, nameOf, type ObjectRef } from '../../shared/handler.ts';
import { Deployment, isTrue } from '../../shared/kinds.ts';
import { type Good, goodOf } from './good.ts';
import { type Holders, holdersOf, YOUNG } from './holders.ts';
import { IPPool } from './kinds.ts';
import { type Ranges, rangesOf } from './ranges.ts';
import { type Rebuilt, rebuild } from './rebuild.ts';

export const CONTROLLER = 'harvester-load-balancer';
export const WEBHOOK = 'harvester-load-balancer-webhook';
export const SYSTEM = 'harvester-system';

/** Whether a Deployment has a pod that serves; `unknown` where it was not captured. */
export type Availability = 'yes' | 'no' | 'unknown';

export async function available(look: Look, name: string): Promise<Availability> {
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name });
  if (deployment) return (deployment.status?.availableReplicas ?? 0) > 0 ? 'yes' : 'no';
  return (await look.captured(Deployment, SYSTEM)) ? 'no' : 'unknown';
}

/** A pool with all that is known about its addresses. */
export interface Sight {
  readonly look: Look;
  readonly ref: ObjectRef;
  readonly pool: IPPool;
  readonly ranges: Ranges;
  readonly holders: Holders;
  readonly good: Good | undefined;
  readonly rebuilt: Rebuilt;
  readonly controller: Availability;
  readonly isReady: boolean;
}

/** Sees a pool, or says why it cannot be judged now. */
export async function sightOf(look: Look, ref: ObjectRef): Promise<Sight | string> {
  const pool = await look.get(IPPool, ref);
  if (!pool) return `${nameOf(ref)} is not there, or could not be read`;
  const { deletionTimestamp, creationTimestamp } = pool.metadata;
  if (deletionTimestamp) return `${nameOf(ref)} is being deleted`;
  if (look.at.getTime() - Date.parse(creationTimestamp ?? '') < YOUNG) {
    return `${nameOf(ref)} is younger than a minute: its controller is still setting it up`;
  }
  const ranges = rangesOf(pool.spec.ranges);
  if (typeof ranges === 'string') {
    return `the ranges of ${nameOf(ref)} are invalid (${ranges}): the controller refuses them, nothing was wiped`;
  }
  const isReady = isTrue(pool, 'Ready');
  const controller = await available(look, CONTROLLER);
  if (!isReady && controller === 'no') {
    return `Deployment ${SYSTEM}/${CONTROLLER} is not available: without it every pool is unready, mend it first`;
  }
  const holders = await holdersOf(look, pool, ranges);
  const good = await goodOf(look, ref);
  return { look, ref, pool, ranges, holders, good, rebuilt: rebuild(pool, ranges, holders, good), controller, isReady };
}
