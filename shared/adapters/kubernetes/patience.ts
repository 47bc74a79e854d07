import type { Clock } from '../../ports/clock.ts';
import { type Answer, retryAfterOf, type Send } from './answer.ts';

/** How often a look is tried again that the API server is too busy for, and how long it waits each time at most. */
const TRIES = 3;
const MOST = 5;

/** Whether the API server asks to come back later: `429`, or `503` that says when. Nothing was done. */
const isBusy = (answer: Answer) =>
  answer.is === 'answered' &&
  (answer.code === 429 || (answer.code === 503 && answer.headers['retry-after'] !== undefined));

/** Sends reads again after the pause that a busy API server asks for. Not for writes: those are the flow's to repeat. */
export function patient(send: Send, wall: Clock, random: () => number = Math.random): Send {
  return async (request) => {
    let answer = await send(request);
    for (let tried = 1; tried < TRIES && answer.is === 'answered' && isBusy(answer); tried += 1) {
      // All who were turned away together must not come back together.
      const seconds = Math.min(retryAfterOf(answer, 1), MOST) * (1 + random() / 4);
      await new Promise<void>((resolve) => void wall.after(seconds * 1000, resolve));
      answer = await send(request);
    }
    return answer;
  };
}
