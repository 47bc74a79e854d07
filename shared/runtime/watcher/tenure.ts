import type { Clock } from '../../ports/clock.ts';

/** How long a Lease is good for that is not renewed. Who waits for it waits that long from when it last saw it change. */
export const DURATION = 18_000;
/** How often a Lease is looked at by who waits for it, and renewed by who holds it. */
export const PACE = 3_000;
/** How long one request about the Lease may take. */
export const PATIENCE = 3_000;
/** How long one request that sends something may take: it is cut off then. */
export const SEND = 4_000;
/**
 * What its holder takes a Lease to be good for: less than who waits does, so that it ends first although the clocks of
 * two nodes do not run equally fast. Holds up to 2.5 % each; real ones differ by less than 0.1 %.
 */
const HELD = DURATION * 0.95;

/** The machine's clocks: `steady` never jumps, and spans are measured by it; `wall` is what people read, and may be set. */
export interface Clocks {
  readonly steady: Clock;
  readonly wall: Pick<Clock, 'now'>;
}

/** For how long the Lease is surely ours. */
export interface Tenure {
  /** The Lease was written; the span counts from before the request went out. */
  renewed(sentAt: Moment): void;
  ended(): void;
  /** Milliseconds for which nobody else can lead. */
  left(): number;
}

interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export const momentOf = ({ steady, wall }: Clocks): Moment => ({
  steady: steady.now().getTime(),
  wall: wall.now().getTime(),
});

/**
 * Ends by whichever of the two clocks is further on: the steady one stands still while a machine sleeps, which the wall
 * clock shows; that one may be set back, which does not move the steady one.
 */
export function tenure(clocks: Clocks): Tenure {
  let until: Moment = { steady: 0, wall: 0 };
  return {
    renewed({ steady, wall }) {
      until = { steady: steady + HELD, wall: wall + HELD };
    },
    ended() {
      until = { steady: 0, wall: 0 };
    },
    left() {
      const now = momentOf(clocks);
      return Math.max(0, Math.min(until.steady - now.steady, until.wall - now.wall));
    },
  };
}
