import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something holds, looking again and again; throws when it does not within `ms`. */
export async function soon(holds: () => boolean, ms = 5_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it did not come true within ${ms} ms: ${holds}`);
    await pause(5);
  }
}
