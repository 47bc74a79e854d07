import { systemClock } from '../../../shared/adapters/clock/system.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

/** The machine's clock, and as far ahead of it as the test has pushed it: windows keep their length, nobody waits for them. */
export interface ShiftedClock extends Clock {
  /** Lets so many milliseconds pass at once; what fell due runs in its order, and sees the later time. */
  advance(ms: number): void;
  /** How far it is ahead of the machine's, in milliseconds. */
  ahead(): number;
}

interface Timer {
  readonly due: number;
  readonly then: () => void;
  cancel: () => void;
}

export function shiftedClock(wall: Clock = systemClock): ShiftedClock {
  let ahead = 0;
  const timers = new Set<Timer>();
  const time = () => wall.now().getTime() + ahead;

  function arm(timer: Timer): void {
    timer.cancel = wall.after(Math.max(0, timer.due - time()), () => {
      timers.delete(timer);
      timer.then();
    });
  }

  return {
    now: () => new Date(time()),
    after(ms, then) {
      const timer: Timer = { due: time() + ms, then, cancel: () => {} };
      timers.add(timer);
      arm(timer);
      return () => {
        timers.delete(timer);
        timer.cancel();
      };
    },
    ahead: () => ahead,
    advance(ms) {
      ahead += ms;
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        timer.cancel();
        arm(timer);
      }
    },
  };
}
