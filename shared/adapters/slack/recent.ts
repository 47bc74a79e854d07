import type { Clock } from '../../ports/clock.ts';

const MOST = 1_000;

interface RecentParts<T> {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds for which an answer is given again, from when it was asked for. */
  readonly kept: number;
  readonly ask: (key: string) => Promise<T>;
  /** Whether an answer may be given again. */
  readonly isKept: (answer: T) => boolean;
}

/** Asks anew what was not asked lately; those who ask meanwhile share one answer. Keeps at most a thousand. */
export function recent<T>({ clock, kept, ask, isKept }: RecentParts<T>): (key: string) => Promise<T> {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();
  return async (key) => {
    const now = clock.now().getTime();
    const known = answers.get(key);
    // A clock that was set back must not make an answer live longer.
    if (known && now >= known.at && now - known.at < kept) return known.answer;
    const asked = { at: now, answer: ask(key) };
    answers.delete(key);
    answers.set(key, asked);
    const [oldest] = answers.keys();
    if (answers.size > MOST && oldest !== undefined) answers.delete(oldest);
    try {
      const answer = await asked.answer;
      if (!isKept(answer) && answers.get(key) === asked) answers.delete(key);
      return answer;
    } catch (error) {
      if (answers.get(key) === asked) answers.delete(key);
      throw error;
    }
  };
}
