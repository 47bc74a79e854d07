import type { Clock } from '../../ports/clock.ts';

/** Twice the window in which a signature is taken: ahead of our clock and behind it. */
const KEPT = 600_000;
/** At this many the oldest are let go: a hundred clicks a second for ten minutes. */
const MOST = 60_000;

/**
 * Which requests came already. It is one process' memory and only saves work: another process that gets the same
 * request finds the receipt of its click, whose id follows from what was signed.
 */
export interface Replays {
  /** Notes a request; false where it came before. */
  isNew(key: string): boolean;
}

export function replays({ now }: Pick<Clock, 'now'>): Replays {
  // In the order of their coming: a Map keeps it.
  const seen = new Map<string, number>();
  return {
    isNew(key) {
      const at = now().getTime();
      for (const [old, when] of seen) {
        if (at - when <= KEPT && seen.size < MOST) break;
        seen.delete(old);
      }
      if (seen.has(key)) return false;
      seen.set(key, at);
      return true;
    },
  };
}
