import * as z from 'zod';
import type { Json, Look, ObjectRef } from '../../shared/handler.ts';
import { isTrue } from '../../shared/kinds.ts';
import { holdersOf, stillHolds } from './holders.ts';
import { IPPool } from './kinds.ts';
import { rangesOf } from './ranges.ts';

/** What is kept of a pool while it is well: the only source of the history and of where the allocator goes on. */
export const Good = z.object({
  total: z.number(),
  lastAllocated: z.string(),
  allocated: z.record(z.string(), z.string()),
  allocatedHistory: z.record(z.string(), z.string()),
});
export type Good = z.infer<typeof Good>;

/** The last good status of a pool; undefined where none was kept. Throws where what was kept is of another shape. */
export async function goodOf(look: Look, ref: ObjectRef): Promise<Good | undefined> {
  const kept = await look.lastGood(ref);
  return kept && Good.parse(kept.value);
}

/**
 * The status to keep, if it is sound: Ready, its counters agree with its ranges and bookings, and no live load balancer
 * that was booked before has lost its booking. Where nothing was kept before, none may claim an address that is not
 * booked: a pool that was wiped and re-initialised before Gleaner came looks as sound as a new one.
 */
export async function soundStatus(look: Look, ref: ObjectRef): Promise<Json | undefined> {
  const pool = await look.get(IPPool, ref);
  const ranges = rangesOf(pool?.spec.ranges ?? []);
  const status = pool?.status;
  if (!pool || !status || pool.metadata.deletionTimestamp || typeof ranges === 'string') return undefined;
  const { allocated, allocatedHistory, lastAllocated = '' } = status;
  const counted = status.total === ranges.total && status.available === ranges.total - Object.keys(allocated).length;
  if (!isTrue(pool, 'Ready') || !counted) return undefined;

  const holders = await holdersOf(look, pool, ranges);
  if (!holders.seen) return undefined;
  const before = await goodOf(look, ref);
  const isBooked = (ip: string, holder: string) => allocated[ip] === holder;
  const isLost = before
    ? Object.entries(before.allocated).some(
        ([ip, id]) => stillHolds(holders.all.get(id), ref.name, ip) && !isBooked(ip, id),
      )
    : [...holders.all.values()].some(({ id, own }) => own?.pool === ref.name && !isBooked(own.ip, id));
  return isLost ? undefined : sorted({ total: ranges.total, lastAllocated, allocated, allocatedHistory });
}

/** In one order, so that the same status is kept as the same text. */
function sorted({ allocated, allocatedHistory, ...rest }: Good): Json {
  const inOrder = (map: Record<string, string>) => Object.fromEntries(Object.entries(map).sort());
  return { ...rest, allocated: inOrder(allocated), allocatedHistory: inOrder(allocatedHistory) };
}
