import * as z from 'zod';
import { JsonValue, ObjectRef } from './objects.ts';
import { Confidence, Evidence, Offer, Verdict } from './plan.ts';

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
  /** By who decides, where a person has said that it is done. */
  signature: z.string().optional(),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** How far a run has come. `failed` is set while the plan's `onFailure` steps still run, and says how it will end. */
export const Run = z.object({
  steps: z.array(StepRecord),
  recovery: z.array(StepRecord),
  failed: z.object({ is: z.enum(['failed', 'unknown']), because }).optional(),
});
export type Run = z.infer<typeof Run>;

/** One transition of a proposal or a stage of its run: the timeline that people read. */
export const Stage = z.object({ at: time, is: z.string(), who: Principal.optional(), because });
export type Stage = z.infer<typeof Stage>;

const versioned = { schema: z.literal(1) };

export const Approval = z.object({
  click: z.string(),
  who: Principal,
  at: time,
  plan: z.string(),
  /** The policy under which it was given, as a digest: under another one it does not count. */
  policy: z.string(),
  reason: z.string().optional(),
});
export type Approval = z.infer<typeof Approval>;

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
  approvals: z.array(Approval),
  /** The click that decided it: a redelivery of it gives the same answer again. */
  decidedBy: z.string().optional(),
  /** The plan that was approved. */
  plan: z.string().optional(),
  /** The approval that filled the quorum, signed by who decides: what was approved, by whom, and until when it may begin. */
  decision: z.object({ until: time, signature: z.string() }).optional(),
  run: Run,
  /** When the next event of a run is due: the sweep sends it again where it got lost. */
  dueAt: time.optional(),
  /** Who asked for it, where somebody did: the policy may keep that person from approving it. */
  requester: Principal.optional(),
  /** Who has it in hand, until the next reminder. */
  taker: Principal.optional(),
  /** Who asked, after its end, for another proposal of the same revision. */
  again: Principal.optional(),
  /** Since when `verify` has said `fixed` without a break. */
  holdsSince: time.optional(),
  verdict: Verdict.optional(),
  /** The proposal that this one undoes; its steps were made from that run's before-images. */
  undoes: z.string().optional(),
  /** The one that its incident named before this one. */
  follows: z.string().optional(),
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
  closedAt: time.optional(),
  proposal: z.string().optional(),
});
export type Incident = z.infer<typeof Incident>;

/** The id of the image of what one step of a run touched. */
export const imageId = (proposal: string, step: number) => `${proposal}/${step}`;

/** The before- and after-image of an object that a step touched. */
export const Image = z.object({
  ...versioned,
  id: z.string(),
  cluster: z.string(),
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
