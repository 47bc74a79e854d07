import * as z from 'zod';
import { JsonValue, ObjectRef } from './objects.ts';
import { Confidence, Evidence, Offer, Risk, Step, Undo, Verdict } from './plan.ts';

const time = z.iso.datetime();
const because = z.string();

/** `slack:U…`, `slack-group:S…`, `local:NAME`, `hook:NAME`. */
export const Principal = z.string().regex(/^(slack|slack-group|local|hook):[^\s:]+$/);
export type Principal = z.infer<typeof Principal>;

/** One difference that the API server's dry run of a step showed; `before` or `after` is absent where nothing stood or stands. */
export const Difference = z.object({ path: z.string(), before: JsonValue.optional(), after: JsonValue.optional() });
export type Difference = z.infer<typeof Difference>;

/** What a dry run of one step said: `blocked` is the API server's refusal, in its words, shortened. */
export const DryRun = z.discriminatedUnion('is', [
  z.object({ is: z.literal('would-change'), differences: z.array(Difference) }),
  z.object({ is: z.literal('already-so') }),
  z.object({ is: z.literal('blocked'), because }),
  /** Waits and asks change nothing; some touches cannot be tried. */
  z.object({ is: z.literal('not-tried'), because }),
]);
export type DryRun = z.infer<typeof DryRun>;

/** A recognised fault with its offer, as it crosses the bus and stands on the card. */
export const Found = z.object({
  cluster: z.string(),
  mode: z.string(),
  subject: ObjectRef,
  finding: JsonValue,
  cause: z.string(),
  confidence: Confidence,
  summary: z.string(),
  because,
  users: z.string(),
  mayWait: z.object({ untilMorning: z.boolean(), because }),
  since: time.optional(),
  evidence: z.array(Evidence),
  offer: Offer,
});
export type Found = z.infer<typeof Found>;

/** The dry runs of a plan's steps, in their order, by the plan's id. */
export const DryRuns = z.record(z.string(), z.array(DryRun));
export type DryRuns = z.infer<typeof DryRuns>;

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
  z.object({ event: z.literal('blinded'), cluster: z.string(), because }),
  z.object({ event: z.literal('sighted'), cluster: z.string(), because }),
  /** The clock: the only source of "later" beyond a delivery's delay. */
  z.object({ event: z.literal('ticked') }),
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

export const ProposalState = z.enum([
  'open',
  'snoozed',
  'approved',
  'applying',
  'applied',
  'fixed',
  'failed',
  'unknown',
  'rejected',
  'expired',
  'superseded',
  'stale',
  'withdrawn',
  'reverted',
]);
export type ProposalState = z.infer<typeof ProposalState>;

/** How a proposal's state may change; a state without successors is terminal. */
export const SUCCESSORS: Readonly<Record<ProposalState, readonly ProposalState[]>> = {
  open: ['approved', 'rejected', 'snoozed', 'expired', 'superseded', 'withdrawn'],
  snoozed: ['open', 'approved', 'rejected', 'expired', 'superseded', 'withdrawn'],
  approved: ['applying', 'stale', 'failed'],
  applying: ['applied', 'failed', 'unknown'],
  applied: ['fixed', 'failed'],
  fixed: ['reverted'],
  failed: [],
  unknown: [],
  rejected: [],
  expired: [],
  superseded: [],
  stale: [],
  withdrawn: [],
  reverted: [],
};

/** Whether the proposal still waits for a decision. */
export const isUndecided = (state: ProposalState) => state === 'open' || state === 'snoozed';
/** Whether a run of it is under way. */
export const isRunning = (state: ProposalState) => state === 'approved' || state === 'applying' || state === 'applied';

/** One step of a run. `started` is written before the touch, so that a crash leaves a trace of what may have happened. */
export const StepRecord = z.object({
  is: z.enum(['started', 'waiting', 'done', 'already-so', 'failed', 'unknown']),
  since: time,
  /** The uid and resourceVersion that guarded the touch. */
  guard: z.object({ uid: z.string(), resourceVersion: z.string() }).optional(),
  because,
});
export type StepRecord = z.infer<typeof StepRecord>;

/** One transition of a proposal or a stage of its run: the timeline that people read. */
export const Stage = z.object({ at: time, is: z.string(), who: Principal.optional(), because });
export type Stage = z.infer<typeof Stage>;

const versioned = { schema: z.literal(1) };

/** An incident's plan at one revision. The one item whose compare-and-set makes an approval. */
export const Proposal = z.object({
  ...versioned,
  id: z.string(),
  incident: z.string(),
  cluster: z.string(),
  revision: z.string(),
  state: ProposalState,
  found: Found,
  dryRuns: DryRuns,
  openedAt: time,
  expiresAt: time,
  /** When somebody is to be reminded, or a snooze ends. */
  remindAt: time,
  approvals: z.array(z.object({ who: Principal, at: time, plan: z.string(), reason: z.string().optional() })),
  /** The click that decided it: a redelivery of it gives the same answer again. */
  decidedBy: z.string().optional(),
  /** The plan that was approved. */
  plan: z.string().optional(),
  run: z.object({ steps: z.array(StepRecord), recovery: z.array(StepRecord), failed: because.optional() }),
  /** Since when `verify` has said `fixed` without a break. */
  holdsSince: time.optional(),
  verdict: Verdict.optional(),
  /** The proposal that this one undoes; its steps were made from that run's before-images. */
  undoes: z.string().optional(),
  /** When the state last changed, and what the outcome is once it is terminal. */
  changedAt: time,
  because,
  timeline: z.array(Stage),
});
export type Proposal = z.infer<typeof Proposal>;

/** One fault of one subject, over all its revisions. */
export const Incident = z.object({
  ...versioned,
  id: z.string(),
  cluster: z.string(),
  mode: z.string(),
  subject: ObjectRef,
  state: z.enum(['sighted', 'open', 'closed']),
  /** When it was first seen without a break. */
  since: time,
  /** When it was first not seen any more, while it is still held open. */
  goneSince: time.optional(),
  proposal: z.string().optional(),
});
export type Incident = z.infer<typeof Incident>;

/** The before- and after-image of an object that a step touched. */
export const Image = z.object({
  ...versioned,
  id: z.string(),
  proposal: z.string(),
  step: z.number(),
  target: ObjectRef,
  before: JsonValue,
  after: JsonValue,
});
export type Image = z.infer<typeof Image>;

/** What `lastGood` kept of an object. */
export const LastGood = z.object({ ...versioned, id: z.string(), at: time, value: JsonValue });
export type LastGood = z.infer<typeof LastGood>;

/** Whether runs on a cluster are stopped, by whom. */
export const Switch = z.object({ ...versioned, id: z.string(), stopped: z.boolean(), who: Principal, at: time });
export type Switch = z.infer<typeof Switch>;

export { Risk, Step, Undo };
