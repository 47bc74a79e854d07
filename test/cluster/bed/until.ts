import { setTimeout as pause } from 'node:timers/promises';

/** How long to go on asking, and how often. */
export interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again until `probe` gives something, and gives that back. A throw of the probe counts as "not yet".
 *
 * @throws Error that says what was waited for, and the last failure, once the time is up.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  { withinMs = 30_000, everyMs = 100 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let last = 'the answer was "not yet" each time';
  while (performance.now() < deadline) {
    try {
      const answer = await probe();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = String(error);
    }
    await pause(everyMs);
  }
  throw new Error(`waited ${withinMs / 1000} s in vain: ${what} (${last})`);
}
