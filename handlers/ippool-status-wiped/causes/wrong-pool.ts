import { nameOf, type Recognised, saw } from '../../../shared/handler.ts';
import type { Finding } from '../finding.ts';
import { IPPool } from '../kinds.ts';
import type { Sight } from '../sight.ts';

/** A load balancer whose address is not of the pool that it names. */
export interface Stray {
  readonly ip: string;
  readonly holder: string;
  /** The pool that it names. */
  readonly names: string;
  /** The pool that books the address for it; null where none does. */
  readonly bookedIn: string | null;
}

/**
 * Load balancers that name this pool and whose address lies outside of it or is booked for them by another one, or
 * which this pool books although they name one that is not there.
 */
export async function straysOf({ look, pool, ranges, holders }: Sight): Promise<Stray[]> {
  const pools = await look.list(IPPool);
  const names = new Set(pools.map(({ metadata }) => metadata.name));
  const strays = [...holders.all.values()].flatMap(({ id, own }) => {
    const booked = pools.find(({ status }) => own && status?.allocated[own.ip] === id)?.metadata.name ?? null;
    const isHere = own?.pool === pool.metadata.name && booked !== pool.metadata.name;
    const isStray = isHere && (booked !== null || !ranges.holds(own.ip));
    const isOrphan = own !== undefined && booked === pool.metadata.name && !names.has(own.pool);
    return own && (isStray || isOrphan) ? [{ ip: own.ip, holder: id, names: own.pool, bookedIn: booked }] : [];
  });
  return strays.sort((a, b) => (a.holder < b.holder ? -1 : Number(a.holder > b.holder)));
}

/** Recognises load balancers that name the wrong pool (harvester #4372). */
export async function wrongPool(sight: Sight): Promise<Recognised<Finding> | undefined> {
  const records = await straysOf(sight);
  const [first] = records;
  if (!first) return undefined;
  const { pool, ref } = sight;
  const where = ({ bookedIn }: Stray) => (bookedIn === null ? 'no pool books it' : `IPPool ${bookedIn} books it`);
  return {
    is: true,
    finding: { class: 'wrong-pool', pool: ref, records },
    cause: 'wrong-pool-recorded',
    confidence: records.some(({ bookedIn }) => bookedIn !== null) ? 'probable' : 'suspected',
    summary: `LoadBalancer ${first.holder} has ${first.ip} and names IPPool ${first.names}, but ${where(first)}${records.length > 1 ? ` (and ${records.length - 1} more)` : ''}`,
    because: `the pool that a load balancer names and the one that its address is of are not the same, so ${nameOf(ref)} can neither release the address nor count it`,
    users:
      'Nothing now; once the load balancer is deleted its address stays booked, or is given out while it is in use.',
    mayWait: { untilMorning: true, because: 'the address works as it is' },
    evidence: [
      saw(pool, 'spec.ranges', 'the ranges of the pool'),
      saw(pool, 'status.allocated', 'what the pool books'),
    ],
  };
}
