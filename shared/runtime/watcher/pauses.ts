import type { Clock } from '../../ports/clock.ts';

/** Pauses of a clock; an abort ends each of them at once. */
export function pauses(clock: Clock) {
  return {
    pause(ms: number, signal?: AbortSignal): Promise<void> {
      if (signal?.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          signal?.removeEventListener('abort', done);
          cancel();
          resolve();
        };
        const cancel = clock.after(ms, done);
        signal?.addEventListener('abort', done, { once: true });
      });
    },
  };
}
