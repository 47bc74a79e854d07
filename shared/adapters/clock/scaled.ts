import type { Clock } from '../../ports/clock.ts';
import { systemClock } from './system.ts';

/** A clock that starts at `from` and runs `speed` times faster than life: a pretend cluster and Gleaner share it. */
export function scaledClock(from: Date, speed: number, wall: Clock = systemClock): Clock {
  const began = wall.now().getTime();
  return {
    now: () => new Date(from.getTime() + (wall.now().getTime() - began) * speed),
    after: (ms, then) => wall.after(ms / speed, then),
  };
}
