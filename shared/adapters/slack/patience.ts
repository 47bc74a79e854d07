import type { Clock } from '../../ports/clock.ts';

/** What came of waiting: the value, the failure, or nothing in time. */
export type InTime<T> =
  | { readonly is: 'there'; readonly value: T }
  | { readonly is: 'failed'; readonly because: string }
  | { readonly is: 'late' };

/** Waits for a value, so many milliseconds at most. What comes later is let go, also a failure. Never throws. */
export async function inTime<T>(clock: Pick<Clock, 'after'>, ms: number, value: Promise<T>): Promise<InTime<T>> {
  const late = Promise.withResolvers<InTime<T>>();
  const cancel = clock.after(ms, () => late.resolve({ is: 'late' }));
  const settled = value.then(
    (there): InTime<T> => ({ is: 'there', value: there }),
    (error: unknown): InTime<T> => ({ is: 'failed', because: String(error) }),
  );
  return Promise.race([settled, late.promise]).finally(cancel);
}
