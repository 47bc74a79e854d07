import * as z from 'zod';
import { ObjectRef } from '../../shared/handler.ts';
import { type CauseName, isCause } from './upstream.ts';

const CauseOf = z.custom<CauseName>((value) => typeof value === 'string' && isCause(value));

/** Why the one change that helps is not offered now. */
export const Blocked = z.enum([
  'change-unknown',
  'dwell-unknown',
  'kubevirt-deleting',
  'kubevirt-not-deployed',
  'no-room',
  'not-all-signs-seen',
  'operator-unavailable',
  'recent-change',
  'room-unknown',
  'several-nodes',
]);
export type Blocked = z.infer<typeof Blocked>;

/** Where an upgrade stands: the live Upgrade and the node that does not move. */
const place = { upgrade: ObjectRef, node: z.string() };

/** KubeVirt pins its control plane to the node that is drained. `blocked` empty: the placement may be patched. */
const Placement = z.object({
  about: z.literal('placement'),
  class: z.literal('P2a'),
  ...place,
  kubevirt: ObjectRef,
  blocked: z.array(Blocked),
});

/** The placement was set and nothing came of it: `budgets` still forbid the evictions. */
const NotConverging = z.object({
  about: z.literal('placement-not-converging'),
  class: z.literal('placement-not-converging'),
  ...place,
  kubevirt: ObjectRef,
  operator: z.enum(['available', 'unavailable', 'unknown']),
  budgets: z.array(ObjectRef),
});

/**
 * The part of the drain in which the node stands. P0: before Pre-drained. P1: the hook was not acknowledged. P2: it is
 * drained (a: a budget forbids it, b: pods do not end, c: neither). P3: RKE2 is upgraded on the host. P4: Harvester
 * does not go on. V2: an upgrade of the second kind. `unseen`: nothing in the picture tells.
 */
export const Phase = z.enum(['P0', 'P1', 'P2', 'P2a', 'P2b', 'P2c', 'P3', 'P4', 'V2', 'unseen']);
export type Phase = z.infer<typeof Phase>;

/** Any other stall: nothing is touched for it. `objects` are what a person has to look at, without generated pods. */
const Stall = z.object({
  about: z.literal('stall'),
  class: Phase,
  cause: CauseOf,
  ...place,
  objects: z.array(ObjectRef),
});
export type Stall = z.infer<typeof Stall>;

/** What was found. It holds no times, counts, messages or names of generated pods. */
export const Finding = z.discriminatedUnion('about', [Placement, NotConverging, Stall]);
export type Finding = z.infer<typeof Finding>;
export type Placement = z.infer<typeof Placement>;
export type NotConverging = z.infer<typeof NotConverging>;
