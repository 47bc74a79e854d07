import * as z from 'zod';
import { Image, Incident, isRunning, isUndecided, LastGood, Principal, Proposal, Switch } from './proposal.ts';

const time = z.iso.datetime();
const versioned = { schema: z.literal(1) };

/** For how long a mode or an object on a cluster brings no new card and no reminder, because somebody said so. */
export const Silence = z.object({
  ...versioned,
  id: z.string(),
  cluster: z.string(),
  /** A mode's id, or an object such as `Node/node1`. */
  what: z.string(),
  who: Principal,
  at: time,
  until: time,
  because: z.string(),
});
export type Silence = z.infer<typeof Silence>;

/** Where the card of an incident stands in chat, and how much of the record is shown there. */
export const Post = z.object({
  ...versioned,
  /** The incident's id. */
  id: z.string(),
  cluster: z.string(),
  /** The proposal that the card shows. */
  proposal: z.string(),
  channel: z.string(),
  /** The chat's id of the message; absent while it is not known to have arrived. */
  message: z.string().optional(),
  /** A digest of what the message shows. */
  shown: z.string().optional(),
  /** How many stages of the proposal's timeline the thread was told. */
  told: z.number().int(),
  /** When a delivery that goes on with it is due: another one need not be sent. */
  dueAt: time.optional(),
  /** The event that this delivery brings, or that the one brought by which it was promised. */
  dueBy: z.string().optional(),
  /** The delivery is under way and has the card in hand until then, rather than coming then. */
  isLeased: z.boolean().optional(),
});
export type Post = z.infer<typeof Post>;

/** How a chat channel takes messages. */
export const Lane = z.object({
  ...versioned,
  /** The chat's id of the channel. */
  id: z.string(),
  /** When the next message may go out. */
  nextAt: time,
  /** Since when nothing got through. */
  failingSince: time.optional(),
  because: z.string().optional(),
  /** Whether the outage was told to the bus. */
  isUnheard: z.boolean(),
  /** The event whose delivery changed that last: it tells the bus, also when it died on the way and comes again. */
  flippedBy: z.string().optional(),
  /** The incidents whose cards wait for their turn. */
  waiting: z.array(z.string()),
  /** When a digest of those was posted last. */
  digestAt: time.optional(),
});
export type Lane = z.infer<typeof Lane>;

/** That a click was received, and what became of it: a copy of it has no effect, and gets the same answer. */
export const Receipt = z.object({
  ...versioned,
  /** The click's id. */
  id: z.string(),
  at: time,
  answer: z.object({ ok: z.boolean(), because: z.string() }).optional(),
});
export type Receipt = z.infer<typeof Receipt>;

/** The receipt of a proposal that was shown to one person alone, as the answer to a question: its buttons are that person's. */
export const shownTo = (question: string, who: Principal, proposal: string) => `shown ${question} ${who} ${proposal}`;

/** The policy that was in force when the clock last ticked, so that a change of it is told, also of one made while nothing ran. */
const PolicyInForce = z.object({ ...versioned, id: z.literal('policy'), at: time, text: z.string() });

/** A cluster that Gleaner follows from outside its process: who it is, and how it is reached. */
export const Registered = z.object({
  ...versioned,
  /** The uid of its namespace kube-system. */
  id: z.string(),
  name: z.string(),
  flavour: z.enum(['harvester', 'rancher']),
  does: z.enum(['observe', 'apply']),
  /** The name of the parameter that holds its kubeconfig, where functions reach it themselves. */
  kubeconfig: z.string().optional(),
  /** Where the hops run that need it: in functions (also where it is absent), or at its edge, in its own watcher. */
  reach: z.enum(['direct', 'edge']).optional(),
  registeredAt: time,
  /** When its watcher was heard last, and of which version it is. */
  beatAt: time.optional(),
  watcher: z.string().optional(),
  /** Since when its watcher is missed, once that was told. */
  missedSince: time.optional(),
});
export type Registered = z.infer<typeof Registered>;

/** The items of the store by the name of their table. Each has an `id`, unique in its table. */
export const TABLES = {
  incident: Incident,
  proposal: Proposal,
  image: Image,
  lastGood: LastGood,
  switch: Switch,
  silence: Silence,
  post: Post,
  lane: Lane,
  receipt: Receipt,
  policy: PolicyInForce,
  cluster: Registered,
} as const;
export type Tables = { [K in keyof typeof TABLES]: z.infer<(typeof TABLES)[K]> };
export type Table = keyof Tables;

/** The tables whose items begin and end: what is not over is read by many and often, what is over by its id alone. */
export type Ending = 'incident' | 'proposal';
export const isEnding = (table: Table): table is Ending => table === 'incident' || table === 'proposal';

const never = () => undefined;
const OVER: { readonly [K in Table]: (item: Tables[K]) => string | undefined } = {
  incident: ({ state, closedAt, goneSince, since }) =>
    state === 'closed' ? (closedAt ?? goneSince ?? since) : undefined,
  proposal: ({ state, changedAt }) => (isUndecided(state) || isRunning(state) ? undefined : changedAt),
  silence: ({ until }) => until,
  receipt: ({ at }) => at,
  ...{ image: never, lastGood: never, switch: never, post: never, lane: never, policy: never, cluster: never },
};

/** When an item is over, as an ISO time, by what stands in it; undefined: its end is not known, or its table's have none. */
export const overAt = <K extends Table>(table: K, item: Tables[K]): string | undefined => OVER[table](item);
