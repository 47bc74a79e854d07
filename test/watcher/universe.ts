import type { Clock } from '../../shared/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly then: () => void;
}

/** A clock of one machine in a universe: it may run wrong, jump, stand still with its machine, or end with it. */
export interface MachineClock extends Clock {
  /** Moves what it shows; what waits is not moved, as with a wall clock. */
  jump(ms: number): void;
}

/** One machine, or one process of it. */
export interface Machine {
  /** A clock that shows `offset` more than true time, and runs `rate` times as fast. */
  clock(offset: number, rate: number): MachineClock;
  /** Nothing runs for so many true milliseconds; what fell due meanwhile runs after. */
  freeze(ms: number): void;
  /** Nothing of it ever runs again. */
  kill(): void;
  isDead(): boolean;
}

/** True time, which only a test lets pass. */
export interface Universe {
  now(): number;
  after(ms: number, then: () => void): () => void;
  machine(): Machine;
  /** Lets true time pass; promises settle between two timers. */
  pass(ms: number): Promise<void>;
}

const ORIGIN = Date.parse('2026-01-15T12:00:00.000Z');
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

export function universe(): Universe {
  let time = 0;
  let order = 0;
  const timers = new Set<Timer>();

  function after(ms: number, then: () => void): () => void {
    order += 1;
    const timer = { due: time + Math.max(0, ms), order, then };
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function next(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      const isSooner = !first || timer.due < first.due || (timer.due === first.due && timer.order < first.order);
      if (timer.due <= until && isSooner) first = timer;
    }
    return first;
  }

  function machine(): Machine {
    let frozenUntil = 0;
    let isDead = false;
    /** Runs when the machine does. */
    function guarded(then: () => void) {
      if (isDead) return;
      if (time < frozenUntil) after(frozenUntil - time, () => guarded(then));
      else then();
    }
    return {
      clock(offset, rate) {
        let shift = offset;
        return {
          now: () => new Date(ORIGIN + shift + time * rate),
          after: (ms, then) => after(ms / rate, () => guarded(then)),
          jump(ms) {
            shift += ms;
          },
        };
      },
      freeze(ms) {
        frozenUntil = Math.max(frozenUntil, time + ms);
      },
      kill() {
        isDead = true;
      },
      isDead: () => isDead,
    };
  }

  return {
    now: () => time,
    ...{ after, machine },
    async pass(ms) {
      const until = time + ms;
      await settled();
      for (let timer = next(until); timer; timer = next(until)) {
        timers.delete(timer);
        time = Math.max(time, timer.due);
        timer.then();
        await settled();
      }
      time = until;
    },
  };
}
