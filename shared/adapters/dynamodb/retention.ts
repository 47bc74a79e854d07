import { isRunning, isUndecided, type Table, type Tables } from '../../model.ts';

const DAY = 86_400;
/** Longer than an undo is offered and a case is talked about. The audit log is kept for good. */
const CLOSED = 180 * DAY;
/** Longer than a click can be sent again. */
const ANSWERED = 30 * DAY;

type Ends = { readonly [K in Table]: (item: Tables[K], now: number) => number | undefined };

/** When a row may go that nothing needs any more, as an epoch in seconds; undefined: not while it stands as it does. */
const ENDS: Ends = {
  incident: ({ state }, now) => (state === 'closed' ? now + CLOSED : undefined),
  proposal: ({ state }, now) => (isUndecided(state) || isRunning(state) ? undefined : now + CLOSED),
  // While it has no after-image, the touch that it belongs to may still be under way.
  image: ({ after }, now) => (after === null ? undefined : now + CLOSED),
  silence: ({ until }) => Math.ceil(Date.parse(until) / 1000) + ANSWERED,
  receipt: ({ answer }, now) => (answer ? now + ANSWERED : undefined),
  lastGood: () => undefined,
  switch: () => undefined,
  post: () => undefined,
  lane: () => undefined,
  policy: () => undefined,
  cluster: () => undefined,
};

export const endOf = <K extends Table>(table: K, item: Tables[K], now: Date): number | undefined =>
  ENDS[table](item, Math.ceil(now.getTime() / 1000));

/** The parts of an item go after it, never before. */
export const endOfParts = (end: number | undefined): number | undefined => end && end + ANSWERED;
