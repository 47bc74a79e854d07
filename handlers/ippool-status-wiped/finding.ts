import * as z from 'zod';
import { ObjectRef } from '../../shared/handler.ts';

/**
 * One address and who holds it, as `namespace/name` of a LoadBalancer. `from`: `pool`, the status that stands now;
 * `last-good`, the status that was kept while the pool was well; `claim`, nothing but the load balancer's own status or
 * Service, which whoever may edit its namespace can write.
 */
export const Booking = z.object({
  ip: z.string(),
  holder: z.string(),
  namespace: z.string(),
  from: z.enum(['pool', 'last-good', 'claim']),
});
export type Booking = z.infer<typeof Booking>;

/** One address that several load balancers hold; `later` was created last, null where that cannot be told. */
export const Duplicate = z.object({ ip: z.string(), holders: z.array(z.string()), later: z.string().nullable() });
export type Duplicate = z.infer<typeof Duplicate>;

/** What forbids a restore; `what` is the name that the sentence needs. */
export const Blocked = z.object({
  why: z.enum([
    'load-balancers-unseen',
    'services-unseen',
    'address-unknown',
    'address-outside',
    'two-addresses',
    'webhook-unavailable',
    'network-missing',
    'never-seen-booked',
  ]),
  what: z.string(),
});
export type Blocked = z.infer<typeof Blocked>;

const pool = { pool: ObjectRef };

/**
 * A pool that lost its status. S0: there is none. S1: a typed write put zeros in its place. S2: and a load balancer has
 * booked since. S3: the controller was restarted, all looks well, and bookings are missing. The status to be written
 * follows from `total`, `lastAllocated`, `allocated` and `allocatedHistory`.
 */
export const Wiped = z.object({
  class: z.enum(['S0', 'S1', 'S2', 'S3']),
  ...pool,
  total: z.number(),
  lastAllocated: z.string(),
  allocated: z.array(Booking),
  allocatedHistory: z.record(z.string(), z.string()),
  duplicates: z.array(Duplicate),
  blocked: z.array(Blocked),
  /** The version of Rancher's UI extension, where the picture shows one that erases statuses. */
  extension: z.string().nullable(),
});
export type Wiped = z.infer<typeof Wiped>;

/** A load balancer's address that a pool, otherwise whole, does not book. */
const Unbooked = z.object({ class: z.literal('unbooked'), ...pool, missing: z.array(Booking) });

/** A booking for a load balancer that is gone, or that waits for an address although this one is booked for it. */
const LeftOver = z.object({
  class: z.literal('left-over'),
  ...pool,
  /** Whether the bookings were written by the migration from kube-vip's pools and not by the allocator. */
  migrated: z.boolean(),
  records: z.array(z.object({ ip: z.string(), holder: z.string(), holderIs: z.enum(['gone', 'waiting']) })),
});

/** A load balancer that names another pool than the one which its address is of. */
const WrongPool = z.object({
  class: z.literal('wrong-pool'),
  ...pool,
  records: z.array(
    z.object({ ip: z.string(), holder: z.string(), names: z.string(), bookedIn: z.string().nullable() }),
  ),
});

/** An object of another kind without a status subresource whose status is gone. */
const OtherKind = z.object({ class: z.literal('other-kind'), object: ObjectRef });

/** What was found. Nothing in it moves with heartbeats, status updates, or bookings of other pools. */
export const Finding = z.discriminatedUnion('class', [Wiped, Unbooked, LeftOver, WrongPool, OtherKind]);
export type Finding = z.infer<typeof Finding>;
