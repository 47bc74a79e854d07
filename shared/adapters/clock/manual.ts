import type { Clock } from '../../ports/clock.ts';

/** A clock that a test owns: time passes only when it says so. */
export interface ManualClock extends Clock {
  /** Lets so many milliseconds pass and runs what falls due, in order; each sees its own moment. */
  advance(ms: number): void;
}

export function manualClock(from: string): ManualClock {
  let time = Date.parse(from);
  let timers: { readonly due: number; readonly then: () => void }[] = [];
  const next = (until: number) =>
    timers
      .filter(({ due }) => due <= until)
      .reduce<(typeof timers)[number] | undefined>((a, b) => (a && a.due <= b.due ? a : b), undefined);
  return {
    now: () => new Date(time),
    after(ms, then) {
      const timer = { due: time + ms, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const until = time + ms;
      for (let timer = next(until); timer; timer = next(until)) {
        timers = timers.filter((one) => one !== timer);
        time = Math.max(time, timer.due);
        timer.then();
      }
      time = until;
    },
  };
}
