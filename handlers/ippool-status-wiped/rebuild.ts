import type { Blocked, Booking, Duplicate } from './finding.ts';
import type { Good } from './good.ts';
import { type Holders, stillHolds } from './holders.ts';
import type { IPPool } from './kinds.ts';
import { compareAddresses, type Ranges } from './ranges.ts';

/** What a pool's bookings are by all that can be seen, and what speaks against writing them down. */
export interface Rebuilt {
  readonly bookings: readonly Booking[];
  /** Those that the pool does not book now. */
  readonly missing: readonly Booking[];
  readonly duplicates: readonly Duplicate[];
  readonly blocked: readonly Blocked[];
  readonly lastAllocated: string;
  readonly allocatedHistory: Readonly<Record<string, string>>;
}

/** Puts a pool's bookings together again: from what it books now, what it booked while it was well, and what is claimed. */
export function rebuild(pool: IPPool, ranges: Ranges, holders: Holders, good: Good | undefined): Rebuilt {
  const now = pool.status?.allocated ?? {};
  const bookings = bookingsOf(pool, holders, good);
  const duplicates = duplicatesOf(bookings, holders, pool);
  const known = new Set(Object.values(good?.allocated ?? {}));
  const blocked: Blocked[] = [
    ...holders.blocked.filter(({ what }) => !known.has(what)),
    ...bookings
      .filter(({ ip }) => !ranges.holds(ip))
      .map(({ ip, holder }) => ({ why: 'address-outside' as const, what: `${ip} (${holder})` })),
    ...holdersOfSeveral(bookings).map((what) => ({ why: 'two-addresses' as const, what })),
  ];
  const taken = new Set(bookings.map(({ ip }) => ip));
  const history = { ...good?.allocatedHistory, ...pool.status?.allocatedHistory };
  return {
    bookings,
    missing: bookings.filter(({ ip, holder }) => now[ip] !== holder),
    duplicates,
    blocked,
    lastAllocated: lastOf(bookings, ranges, good),
    allocatedHistory: Object.fromEntries(
      Object.entries(history)
        .filter(([ip]) => ranges.holds(ip) && !taken.has(ip))
        .sort(([a], [b]) => compareAddresses(a, b)),
    ),
  };
}

function bookingsOf(pool: IPPool, holders: Holders, good: Good | undefined): Booking[] {
  const name = pool.metadata.name;
  const found = new Map<string, Booking>();
  const add = (ip: string, holder: string, from: Booking['from']) => {
    const key = `${ip} ${holder}`;
    if (!found.has(key)) found.set(key, { ip, holder, namespace: holder.split('/')[0] ?? '', from });
  };
  for (const [ip, holder] of Object.entries(pool.status?.allocated ?? {})) add(ip, holder, 'pool');
  for (const [ip, holder] of Object.entries(good?.allocated ?? {})) {
    if (stillHolds(holders.all.get(holder), name, ip)) add(ip, holder, 'last-good');
  }
  for (const { id, own } of holders.all.values()) if (own?.pool === name) add(own.ip, id, 'claim');
  return [...found.values()].sort(
    (a, b) => compareAddresses(a.ip, b.ip) || (a.holder < b.holder ? -1 : Number(a.holder > b.holder)),
  );
}

function duplicatesOf(bookings: readonly Booking[], { all }: Holders, pool: IPPool): Duplicate[] {
  const isWhole = pool.status?.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  return [...Map.groupBy(bookings, ({ ip }) => ip)].flatMap(([ip, same]) => {
    if (same.length < 2) return [];
    const holders = same.map(({ holder }) => holder);
    return [{ ip, holders, later: laterOf(same, all, isWhole) }];
  });
}

/**
 * Who has to give way. Whoever was booked while the pool was well was there first, whatever the other one says of
 * itself; else the creation times tell; else a wiped pool books nobody but who came after the wipe.
 */
function laterOf(same: readonly Booking[], all: Holders['all'], isWhole: boolean): string | null {
  const others = same.filter(({ from }) => from !== 'last-good');
  if (others.length < same.length) return others.length === 1 ? (others[0]?.holder ?? null) : null;
  const created = ({ holder }: Booking) => all.get(holder)?.created;
  const newest = same.map(created).toSorted().at(-1);
  const youngest = same.filter((one) => created(one) === newest);
  if (!same.some((one) => created(one) === undefined) && youngest.length === 1) return youngest[0]?.holder ?? null;
  return isWhole ? null : (same.find(({ from }) => from === 'pool')?.holder ?? null);
}

/** Who stands at more than one address: a pool books one per load balancer. */
const holdersOfSeveral = (bookings: readonly Booking[]) =>
  [...Map.groupBy(bookings, ({ holder }) => holder)].filter(([, same]) => same.length > 1).map(([holder]) => holder);

/** Where the allocator goes on: as before, else behind the highest address that is taken. */
const lastOf = (bookings: readonly Booking[], ranges: Ranges, good: Good | undefined) =>
  good && ranges.holds(good.lastAllocated) ? good.lastAllocated : (bookings.at(-1)?.ip ?? '');
