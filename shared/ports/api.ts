import * as z from 'zod';
import type { Card } from '../card.ts';
import { Choice, Difference, Principal, ProposalState, Silence, Stage, StepRecord } from '../model.ts';
import { Confidence, Evidence, Risk } from '../plan.ts';

const time = z.iso.datetime();
const id = z.string().min(1).max(100);

/** What a person decides through the API. Which fields a choice needs is told by `decide`; nothing of it is trusted. */
export const Decided = z.strictObject({
  choice: Choice,
  /** A proposal or an incident, by its id or the beginning of it. */
  proposal: id.optional(),
  cluster: id.optional(),
  /** The revision that was read: `approve`, `reject` and `undo` need it. */
  revision: id.optional(),
  plan: id.optional(),
  reason: z.string().max(500).optional(),
  /** A failure mode or an object such as `Node/node1`, to be silenced, heard again or looked at. */
  what: z.string().max(300).optional(),
  /** For how long, such as `2h`. */
  lasts: z.string().max(20).optional(),
});
export type Decided = z.infer<typeof Decided>;

/** What became of it. `kept`: it was not decided yet, and is not lost. A refusal is a `Problem`. */
export const Outcome = z.object({ ok: z.boolean(), kept: z.boolean(), because: z.string() });
export type Outcome = z.infer<typeof Outcome>;

/** An error as RFC 9457 has it (`application/problem+json`). `detail` is the sentence for people. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  /** What was meant perhaps: ids. */
  candidates: z.array(z.string()).optional(),
});
export type Problem = z.infer<typeof Problem>;

const ShownStep = z.object({
  do: z.string(),
  target: z.string(),
  because: z.string(),
  what: z.string().optional(),
  kubectl: z.string().optional(),
  differences: z.array(Difference),
  note: z.string().optional(),
  record: StepRecord.optional(),
});
export type ShownStep = z.infer<typeof ShownStep>;

const ShownPlan = z.object({
  id: z.string(),
  title: z.string(),
  risk: Risk,
  stopgap: z.boolean(),
  does: z.string(),
  blastRadius: z.string(),
  irreversible: z.string().nullable(),
  preconditions: z.array(z.string()),
  steps: z.array(ShownStep),
  onFailure: z.array(ShownStep),
  undo: z.object({ offered: z.boolean(), because: z.string() }),
  /** Why it cannot be approved. */
  closed: z.string().optional(),
  deciders: z.object({
    approvers: z.array(z.string()),
    quorum: z.number(),
    requesterMayApprove: z.boolean(),
    reasonRequired: z.boolean(),
  }),
  approvedBy: z.array(z.string()),
  /** Who approved it under a policy that is not in force any more. */
  lapsed: z.array(z.string()),
});
export type ShownPlan = z.infer<typeof ShownPlan>;

/** One line of a list. */
const ShownIncident = z.object({
  proposal: z.string(),
  incident: z.string(),
  state: ProposalState,
  cluster: z.string(),
  mode: z.string(),
  title: z.string(),
  since: time,
  changedAt: time,
  taker: z.string().optional(),
});
export type ShownIncident = z.infer<typeof ShownIncident>;

/** A card as the API gives it: what the page shows. */
export const ShownCard = ShownIncident.extend({
  revision: z.string(),
  modeTitle: z.string(),
  lines: z.array(z.object({ label: z.string(), text: z.string() })),
  choices: z.array(Choice),
  plans: z.array(ShownPlan),
  cause: z.string(),
  confidence: Confidence,
  because: z.string(),
  evidence: z.array(Evidence),
  upstream: z.array(z.object({ issue: z.string(), affected: z.string(), fixedIn: z.string() })),
  refusal: z.string().optional(),
  prevention: z.string().optional(),
  requester: z.string().optional(),
  openedAt: time,
  expiresAt: time,
  timeline: z.array(Stage),
});
export type ShownCard = z.infer<typeof ShownCard>;

export const Incidents = z.object({ incidents: z.array(ShownIncident) });

export const Status = z.object({
  now: time,
  /** Whose token asked. */
  you: Principal,
  clusters: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      flavour: z.string(),
      does: z.string(),
      blind: z.string().optional(),
      stopped: z.string().optional(),
    }),
  ),
  waiting: z.number(),
  running: z.number(),
  silences: z.array(Silence),
  troubles: z.array(z.string()),
});
export type Status = z.infer<typeof Status>;

/** By what a person gets in: a session of the page, or a token of the command line. */
export const Door = z.enum(['page', 'cli']);
export type Door = z.infer<typeof Door>;

/** That a person may get in, as others may know it. */
export const Admitted = z.object({ who: Principal, door: Door, at: time, until: time.optional() });
export type Admitted = z.infer<typeof Admitted>;

export const Invite = z.strictObject({ who: z.string().regex(/^local:[^\s:]{1,60}$/, 'write local:NAME') });
export const Invited = z.object({ link: z.url(), until: time });
export const Redeem = z.strictObject({ invitation: z.string().min(1).max(200) });
export const Redeemed = z.object({ who: Principal, token: z.string(), until: time });
export const People = z.object({ people: z.array(Admitted) });

/** One card, none, or several incidents whose ids begin alike. */
export type FoundCard =
  | { readonly is: 'one'; readonly card: Card }
  | { readonly is: 'none'; readonly because: string }
  | { readonly is: 'several'; readonly because: string; readonly candidates: readonly string[] };

/** What the page and the API read of the records, beside what the desk gives. */
export interface Register {
  /** Those that are in force now. */
  silences(): Promise<readonly Silence[]>;
  /** What is wrong with Gleaner itself, in sentences. */
  troubles(): Promise<readonly string[]>;
  /** A proposal by its id; an incident's current one by the beginning of the incident's id, four characters at least. */
  find(text: string): Promise<FoundCard>;
}
