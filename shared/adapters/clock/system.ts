import type { Clock } from '../../ports/clock.ts';

/** The machine's clock. Its timers do not keep a process alive by themselves. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, then) {
    // Node fires a longer delay at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args).
    const timer = setTimeout(then, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
