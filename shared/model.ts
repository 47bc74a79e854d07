import * as z from 'zod';
import { ObjectRef } from './objects.ts';
import { DryRuns, Found, Principal } from './proposal.ts';

export * from './proposal.ts';

const because = z.string();

/** What a person can decide. `done` ends an `ask` step; `stop` and `resume` hold for every run of the cluster. */
export const Choice = z.enum(['approve', 'reject', 'snooze', 'undo', 'again', 'done', 'diagnose', 'stop', 'resume']);
export type Choice = z.infer<typeof Choice>;

/** A click, a command or a webhook, as it was received: nothing of it is trusted before `decide`. */
export const Click = z.object({
  id: z.string(),
  who: Principal,
  choice: Choice,
  /** The proposal, except for `stop` and `resume`. */
  proposal: z.string().optional(),
  cluster: z.string().optional(),
  /** The revision that the person read. */
  revision: z.string().optional(),
  /** Which plan of the offer is approved. */
  plan: z.string().optional(),
  reason: z.string().optional(),
});
export type Click = z.infer<typeof Click>;

const on = { proposal: z.string() };

/** The whole vocabulary: facts in the past tense. `detail-type` on EventBridge, `dev.gleaner.<event>.v1` in CloudEvents. */
export const Fact = z.discriminatedUnion('event', [
  /** Something that a mode watches has changed, a tick came, or somebody asked: look at this mode again. */
  z.object({
    event: z.literal('observed'),
    cluster: z.string(),
    mode: z.string(),
    because,
    objects: z.array(ObjectRef),
  }),
  /** A fault was recognised and held for its settle window. */
  z.object({ event: z.literal('found'), incident: z.string(), revision: z.string(), found: Found, dryRuns: DryRuns }),
  /** An incident's fault is no longer there. */
  z.object({ event: z.literal('cleared'), incident: z.string(), because }),
  /** A proposal awaits a decision. */
  z.object({ event: z.literal('proposed'), ...on }),
  /** A newer revision took a proposal's place. */
  z.object({ event: z.literal('superseded'), ...on, by: z.string() }),
  /** A proposal's fault went away before a decision. */
  z.object({ event: z.literal('withdrawn'), ...on, because }),
  /** Somebody chose something. */
  z.object({ event: z.literal('clicked'), click: Click }),
  /** A choice took effect. */
  z.object({ event: z.literal('decided'), ...on, click: Click, because }),
  /** A choice did not take effect; `because` is what the clicker is told. */
  z.object({ event: z.literal('refused'), click: Click, because }),
  /** A run goes on, now or after a wait. */
  z.object({ event: z.literal('applying'), ...on }),
  /** Every step of a run was carried out. */
  z.object({ event: z.literal('applied'), ...on }),
  /** The second look did not find what was approved. */
  z.object({ event: z.literal('stale'), ...on, because }),
  /** A verification looks again. */
  z.object({ event: z.literal('verifying'), ...on }),
  /** The fault is gone and stayed away over the window. */
  z.object({ event: z.literal('fixed'), ...on, because }),
  /** A run or its verification failed. */
  z.object({ event: z.literal('failed'), ...on, because }),
  /** Whether a touch took effect could not be found out. */
  z.object({ event: z.literal('unknown'), ...on, because }),
  /** An undo was verified: what the first proposal changed is as it was before. */
  z.object({ event: z.literal('reverted'), ...on, because }),
  /** Nobody decided in time, which means no. */
  z.object({ event: z.literal('expired'), ...on }),
  /** A proposal still waits for a decision. */
  z.object({ event: z.literal('reminded'), ...on }),
  /** Runs on a cluster were stopped or may go on. */
  z.object({ event: z.literal('stopped'), cluster: z.string(), who: Principal }),
  z.object({ event: z.literal('resumed'), cluster: z.string(), who: Principal }),
  /** The watch of a cluster lost sight of a kind, or sees again. */
  z.object({ event: z.literal('blinded'), cluster: z.string(), kind: z.string(), because }),
  z.object({ event: z.literal('sighted'), cluster: z.string(), kind: z.string(), because }),
  /** The clock: the only source of "later" beyond a delivery's delay. */
  z.object({ event: z.literal('ticked'), since: z.iso.datetime() }),
]);
export type Fact = z.infer<typeof Fact>;
export type EventName = Fact['event'];

/** A fact on the bus. Delivered at least once, in no order. */
export type Event = Fact & { readonly id: string; readonly at: string };

/** What a hop gives back to be published, perhaps only after a delay (milliseconds). */
export interface Outgoing {
  readonly fact: Fact;
  readonly after?: number;
}
