import type { JsonObject } from '../../../objects.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Change, Memory } from './memory.ts';

/** How long the end of the initial events may take; servers before 1.27 ignore that they were asked for, and never send it. */
const INITIAL = 10_000;

/** A list that comes as the first events of a watch. What it brings is told at once, when it is complete. */
export function streamedList(follower: {
  readonly clock: Clock;
  readonly memory: Memory;
  tell(changes: readonly Change[]): void;
}) {
  const comparison = follower.memory.compare();
  const changes: Change[] = [];
  const late = new AbortController();
  let isLate = false;
  let isComplete = false;
  const cancel = follower.clock.after(INITIAL, () => {
    isLate = true;
    late.abort();
  });
  return {
    late: late.signal,
    isLate: () => isLate,
    isComplete: () => isComplete,
    put: (object: JsonObject) => void changes.push(...comparison.put(object)),
    complete() {
      isComplete = true;
      cancel();
      follower.tell([...changes, ...comparison.end()]);
    },
    stop: cancel,
  };
}
export type StreamedList = ReturnType<typeof streamedList>;
