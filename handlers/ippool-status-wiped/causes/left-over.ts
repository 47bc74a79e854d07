import { type Evidence, nameOf, type Recognised, saw } from '../../../shared/handler.ts';
import { Namespace } from '../../../shared/kinds.ts';
import type { Finding } from '../finding.ts';
import { LoadBalancer } from '../kinds.ts';
import type { Sight } from '../sight.ts';

type Booked = Extract<Finding, { class: 'left-over' }>['records'][number];

/** What the controller says of an address that it will not book twice (harvester #7449, #4329). */
const REFUSAL = /(\S+) has been allocated to (\S+), duplicate allocation is not allowed/;

/** Recognises bookings for load balancers that are gone, or that wait for the very address that is booked for them. */
export async function leftOver(sight: Sight): Promise<Recognised<Finding> | undefined> {
  const { pool, ref } = sight;
  const records = await recordsOf(sight);
  const [first] = records;
  if (!first) return undefined;
  const complains = records.some((record) => isComplained(sight, record));
  // The allocator notes the last address with each booking; what the migration wrote has none.
  const migrated = pool.status?.lastAllocated === '' && records.some(({ holderIs }) => holderIs === 'waiting');
  const what = first.holderIs === 'gone' ? 'which is gone' : 'which waits for an address and is refused this one';
  return {
    is: true,
    finding: { class: 'left-over', pool: ref, migrated, records },
    cause: migrated ? 'allocated-migrated-wrong' : 'stale-allocation',
    confidence: complains ? 'probable' : 'suspected',
    summary: `${nameOf(ref)} books ${first.ip} for LoadBalancer ${first.holder}, ${what}${records.length > 1 ? ` (and ${records.length - 1} more)` : ''}`,
    because: migrated
      ? 'the pool books addresses and has never given one out (lastAllocated is empty), so an upgrade wrote the bookings, and the allocator refuses them to their own load balancers'
      : 'the booking was never released, and the allocator does not hand out an address that is booked, not even to the one that it is booked for',
    users: complains
      ? `LoadBalancer ${first.holder} gets no address.`
      : 'One address of the pool is lost; nothing else.',
    mayWait: { untilMorning: true, because: 'load balancers that have an address are not concerned' },
    evidence: await evidenceOf(sight, records),
  };
}

async function recordsOf(sight: Sight): Promise<Booked[]> {
  const records: Booked[] = [];
  for (const { ip, holder, from } of sight.rebuilt.bookings) {
    if (from !== 'pool') continue;
    const known = sight.holders.all.get(holder);
    if (!known && (await isGone(sight, holder))) records.push({ ip, holder, holderIs: 'gone' });
    if (known && !known.own && isRefused(known.complaint, ip, holder))
      records.push({ ip, holder, holderIs: 'waiting' });
  }
  return records;
}

const isComplained = ({ holders }: Sight, { ip, holder }: Booked) =>
  [...holders.all.values()].some(({ complaint }) => isRefused(complaint, ip, holder));

function isRefused(complaint: string | undefined, ip: string, holder: string): boolean {
  const match = REFUSAL.exec(complaint ?? '');
  return match?.[1] === ip && match[2] === holder;
}

/**
 * Whether absence means absence. A picture that was cut out of a thread may show some load balancers only: there one
 * of the same namespace must be in it, or none at all; a whole cluster shows its namespace kube-system.
 */
async function isGone({ look, holders }: Sight, holder: string): Promise<boolean> {
  if (!holders.seen) return false;
  const namespace = holder.split('/')[0] ?? '';
  const neighbours = await look.list(LoadBalancer, { namespace });
  if (neighbours.some(({ metadata }) => `${namespace}/${metadata.name}` === holder)) return false;
  if (neighbours.length > 0 || (await look.list(LoadBalancer)).length === 0) return true;
  return (await look.get(Namespace, { name: 'kube-system' })) !== undefined;
}

async function evidenceOf({ look, pool }: Sight, records: readonly Booked[]): Promise<Evidence[]> {
  const evidence = [
    saw(pool, 'status.allocated', 'what the pool books'),
    saw(pool, 'status.lastAllocated', 'the address that the allocator gave out last'),
  ];
  for (const { holder } of records.slice(0, 5)) {
    const [namespace = '', name = ''] = holder.split('/');
    const lb = await look.get(LoadBalancer, { namespace, name });
    if (lb) evidence.push(saw(lb, 'status.conditions', 'why it has no address'));
  }
  return evidence;
}
