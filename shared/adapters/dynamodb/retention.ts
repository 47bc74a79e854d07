import { overAt, type Table, type Tables } from '../../model.ts';

const DAY = 86_400;
/** Longer than a click can be sent again: out of a queue's dead letters after 14 days. */
const ANSWERED = 30 * DAY;

type Ends = { readonly [K in Table]: (item: Tables[K], now: number, keep: number) => number | undefined };

const seconds = (time: string) => Math.ceil(Date.parse(time) / 1000);
const never = () => undefined;

/**
 * When a row may go that nothing needs any more, as an epoch in seconds; undefined: not while it stands as it does.
 * `keep`: for how many seconds what is over is kept.
 */
const ENDS: Ends = {
  incident: (item, _now, keep) => kept(overAt('incident', item), keep),
  proposal: (item, _now, keep) => kept(overAt('proposal', item), keep),
  // Its proposal's end is not known here, and an undo needs all images or none: they go well after it.
  image: (_item, now, keep) => now + 2 * keep,
  // Nor is the end of its incident; whoever waits for that long gets a new message.
  post: (_item, now, keep) => now + 4 * keep,
  silence: ({ until }) => seconds(until) + ANSWERED,
  receipt: (_item, now) => now + ANSWERED,
  ...{ lastGood: never, switch: never, lane: never, policy: never, cluster: never },
};

const kept = (over: string | undefined, keep: number) => (over === undefined ? undefined : seconds(over) + keep);

export const endOf = <K extends Table>(table: K, item: Tables[K], now: Date, keep: number): number | undefined =>
  ENDS[table](item, Math.ceil(now.getTime() / 1000), keep);

/** The parts of an item go after it, never before. */
export const endOfParts = (end: number | undefined): number | undefined => end && end + ANSWERED;
