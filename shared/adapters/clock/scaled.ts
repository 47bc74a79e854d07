import type { Clock } from '../../ports/clock.ts';
import { systemClock } from './system.ts';

/** A clock that runs faster than life. */
export interface ScaledClock extends Clock {
  /** How many of its milliseconds pass in one of life's. */
  speed(): number;
  /** Runs at another speed from now on; what waits comes accordingly sooner or later. Throws a RangeError unless it is above 0. */
  run(speed: number): void;
}

interface Timer {
  readonly due: number;
  readonly then: () => void;
  cancel: () => void;
}

/** A clock that starts at `from` and runs `speed` times faster than life: a pretend cluster and Gleaner share it. */
export function scaledClock(from: Date, speed: number, wall: Clock = systemClock): ScaledClock {
  let pace = above0(speed);
  let since = { wall: wall.now().getTime(), time: from.getTime() };
  const timers = new Set<Timer>();
  const time = () => since.time + (wall.now().getTime() - since.wall) * pace;

  function arm(timer: Timer): void {
    timer.cancel = wall.after(Math.max(0, timer.due - time()) / pace, () => {
      // A timer of Node may fire up to a millisecond early, which is many milliseconds of this clock.
      if (time() < timer.due) return arm(timer);
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
    speed: () => pace,
    run(next) {
      since = { wall: wall.now().getTime(), time: time() };
      pace = above0(next);
      for (const timer of timers) {
        timer.cancel();
        arm(timer);
      }
    },
  };
}

function above0(speed: number): number {
  if (!(speed > 0 && Number.isFinite(speed)))
    throw new RangeError(`A clock cannot run at speed ${speed}: name one above 0`);
  return speed;
}
