import * as z from 'zod';
import { ObjectRef } from './objects.ts';
import { DryRuns, Found, Principal } from './proposal.ts';
import { Silence } from './records.ts';

export * from './proposal.ts';
export * from './records.ts';

const because = z.string();

/**
 * What a person can decide. `take` ("I have it") stops the reminders for half an hour, `done` ends an `ask` step,
 * `diagnose` looks again; `silence`, `unsilence`, `stop` and `resume` hold for a cluster, not for one proposal.
 */
export const Choice = z.enum([
  'approve',
  'reject',
  'snooze',
  'take',
  'undo',
  'again',
  'done',
  'diagnose',
  'silence',
  'unsilence',
  'stop',
  'resume',
]);
export type Choice = z.infer<typeof Choice>;

/** Where in chat a click or a question came from: it is answered there, and held against the card that stands there. */
export const From = z.object({
  /** The workspace. */
  team: z.string(),
  channel: z.string(),
  /** The message whose button was pressed; absent for what was typed. */
  message: z.string().optional(),
  /** The question whose answer, shown to one person alone, had the button; absent for a button of a card. */
  question: z.string().optional(),
  /** An address that takes an answer for a while. Who knows it can post there: it is never logged. */
  reply: z.url().optional(),
});
export type From = z.infer<typeof From>;

/** A click, a command or a webhook, as it was received: nothing of it is trusted before `decide`. */
export const Click = z.object({
  id: z.string(),
  who: Principal,
  choice: Choice,
  /** The proposal, except for what holds for a cluster. */
  proposal: z.string().optional(),
  /** A cluster's id or its name; absent where there is only one. */
  cluster: z.string().optional(),
  /** The revision that the person read. */
  revision: z.string().optional(),
  /** Which plan of the offer is approved. */
  plan: z.string().optional(),
  reason: z.string().optional(),
  /** What is diagnosed or silenced: a mode's id, or an object such as `Node/node1`. */
  what: z.string().optional(),
  /** For how long, such as `2h`. */
  lasts: z.string().optional(),
  from: From.optional(),
});
export type Click = z.infer<typeof Click>;

/** What somebody wants to read. Nothing changes by it. */
export const Question = z.object({
  id: z.string(),
  who: Principal,
  from: From,
  ask: z.discriminatedUnion('is', [
    z.object({ is: z.literal('status') }),
    z.object({ is: z.literal('incidents') }),
    /** The card of a proposal or an incident, by its id or the beginning of it; `to`: with the button for that choice alone. */
    z.object({ is: z.literal('show'), id: z.string(), to: Choice.optional() }),
  ]),
});
export type Question = z.infer<typeof Question>;

/** What could not be told yet, and is tried again. */
export const Untold = z.discriminatedUnion('is', [
  z.object({ is: z.literal('answer'), click: Click, ok: z.boolean(), because, see: z.string().optional() }),
  z.object({ is: z.literal('reply'), question: Question }),
  /** `of`: the name of the event that it tells of. */
  z.object({ is: z.literal('notice'), of: z.string().optional(), cluster: z.string().optional(), text: z.string() }),
]);
export type Untold = z.infer<typeof Untold>;

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
    /** The click that asked for it: it is told what the look showed. */
    asked: Click.optional(),
  }),
  /** A fault was recognised and held for its settle window. */
  z.object({
    event: z.literal('found'),
    incident: z.string(),
    revision: z.string(),
    found: Found,
    dryRuns: DryRuns,
    /** Who asked for the look that found it. */
    requester: Principal.optional(),
  }),
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
  /** A choice did not take effect; `because` is what the clicker is told, `see` the proposal to read instead. */
  z.object({ event: z.literal('refused'), click: Click, because, see: z.string().optional() }),
  /** What a look showed that somebody asked for, or what a choice for a whole cluster did. */
  z.object({ event: z.literal('answered'), click: Click, because }),
  /** Somebody who may decide wants a run undone: whether that can be, a look at the cluster tells. */
  z.object({ event: z.literal('undo-asked'), ...on, click: Click }),
  /** A click was received a while ago: if it was not decided since, the clicker is told that it is kept. */
  z.object({ event: z.literal('waited'), click: Click }),
  /** Somebody wants to read something. */
  z.object({ event: z.literal('asked'), question: Question }),
  /** A card waits for its turn in its channel. */
  z.object({ event: z.literal('unsent'), ...on }),
  /** Something else could not be told yet: it is told anew. */
  z.object({ event: z.literal('untold'), what: Untold }),
  /** For five minutes nothing got through to chat, or it does again. */
  z.object({ event: z.literal('unheard'), channel: z.string(), since: z.iso.datetime(), because }),
  z.object({ event: z.literal('heard'), channel: z.string(), because }),
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
  /** A mode or an object of a cluster is silenced, or heard again. */
  z.object({ event: z.literal('silenced'), silence: Silence }),
  z.object({ event: z.literal('unsilenced'), silence: Silence, who: Principal }),
  /** Who may decide what has changed: approvals that were given under the former policy do not count any more. */
  z.object({ event: z.literal('policy-changed'), because }),
  /** The watch of a cluster lost sight of a kind, or sees again. */
  z.object({ event: z.literal('blinded'), cluster: z.string(), kind: z.string(), because }),
  z.object({ event: z.literal('sighted'), cluster: z.string(), kind: z.string(), because }),
  /** The watcher of a cluster is alive, and sees. */
  z.object({
    event: z.literal('beat'),
    cluster: z.string(),
    name: z.string(),
    flavour: z.enum(['harvester', 'rancher']),
    /** The watcher's release. */
    version: z.string(),
  }),
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
