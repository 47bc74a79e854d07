import type { Clock } from '../../ports/clock.ts';
import { systemClock } from './system.ts';

/**
 * A clock for spans: it begins with the machine's time and then only ever goes forward, whatever sets the machine's clock
 * meanwhile (CLOCK_MONOTONIC: https://nodejs.org/api/perf_hooks.html#performancenow).
 */
export function steadyClock(): Clock {
  const began = Date.now() - performance.now();
  return { now: () => new Date(began + performance.now()), after: systemClock.after };
}
