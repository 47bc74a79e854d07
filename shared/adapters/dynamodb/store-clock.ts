import type { Clock } from '../../ports/clock.ts';

/** A clock that shows the time of the store, wherever it is read. */
export interface StoreClock extends Clock {
  /** The machine's own clock: for waits, and for how long something takes. */
  readonly machine: Clock;
  /** The latest that it can be in the store: what has not expired by then has not expired. */
  latest(): Date;
  /** Whether the store was heard yet. Before, it is the machine's clock. */
  isSet(): boolean;
  /** Takes an answer's Date header, with the machine's times at which the request went out and the answer came. */
  heard(date: string | undefined, sent: Date, received: Date): void;
}

/** A Date header shows whole seconds, cut off (RFC 9110, section 5.6.7). */
const RESOLUTION = 1_000;
/** How far a machine's clock runs off within a millisecond, generously: NTP slews by 0.0005. */
const DRIFT = 0.0005;

/** How far the store's clock is ahead of the machine's: between the two, as known at a time of the machine. */
interface Offset {
  readonly low: number;
  readonly high: number;
  readonly at: number;
}

/**
 * The store's time, learnt from the answers of the store: every function that decides on an expiry then reads the same
 * clock, however wrong its machine's is. Each answer bounds the offset from both sides; the bounds of all of them are
 * cut with each other, so that the time is known to a fraction of a second after a few, and to one second and the way
 * there and back after the first. It may step back by as much as it learns.
 */
export function storeClock(machine: Clock): StoreClock {
  let offset: Offset | undefined;

  /** Known less well the longer it is ago. */
  function known(now: number): Offset {
    if (!offset) return { low: 0, high: 0, at: now };
    const drift = Math.abs(now - offset.at) * DRIFT;
    return { low: offset.low - drift, high: offset.high + drift, at: now };
  }
  const shown = (of: (offset: Offset) => number): Date => {
    const now = machine.now().getTime();
    return new Date(Math.round(now + of(known(now))));
  };

  return {
    machine,
    now: () => shown(({ low, high }) => (low + high) / 2),
    latest: () => shown(({ high }) => high),
    isSet: () => offset !== undefined,
    after: (ms, then) => machine.after(ms, then),
    heard(date, sent, received) {
      const said = Date.parse(date ?? '');
      const [from, until] = [sent.getTime(), received.getTime()];
      // A machine whose clock was set meanwhile has measured nothing.
      if (Number.isNaN(said) || until < from) return;
      const heard = { low: said - until, high: said + RESOLUTION - from, at: until };
      const before = offset && known(until);
      const [low, high] = before
        ? [Math.max(heard.low, before.low), Math.min(heard.high, before.high)]
        : [heard.low, heard.high];
      // Where they do not meet, the machine's clock was set since: what was known of it is void.
      offset = low <= high ? { low, high, at: until } : heard;
    },
  };
}
