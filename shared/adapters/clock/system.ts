import type { Clock } from '../../ports/clock.ts';

/** Node fires a longer delay at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST = 2 ** 31 - 1;

/** The machine's clock. A timer keeps the process alive until it fires or is cancelled. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, then) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      timer = setTimeout(() => (left > LONGEST ? arm(left - LONGEST) : then()), Math.min(left, LONGEST));
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
