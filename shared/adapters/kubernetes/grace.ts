import type { Clock } from '../../ports/clock.ts';

/**
 * For how long a failure may still pass by itself. An API server that starts refuses everybody (403) until it has read
 * the roles, asks to come back (429 "storage is (re)initializing", 503) until it has read the objects of a kind, and
 * answers 404 for what it has not installed yet.
 */
export const GRACE = 60_000;

/** The most failures that are remembered at once. */
const KEPT = 1_000;

/** Tells a failure that lasts from one that may pass: what may pass says nothing about the cluster. */
export interface Grace {
  /** Something could not be read. Throws while that may pass by itself, so that nobody concludes anything from it. */
  failed(what: string, because: string): void;
  succeeded(what: string): void;
  /** No API server answered at all: the one that does next may have to start first. */
  renew(): void;
}

/** Remembers since when each thing has failed without once succeeding. `wall`: API servers do not start faster than life. */
export function grace(wall: Pick<Clock, 'now'>): Grace {
  const since = new Map<string, number>();
  return {
    failed(what, because) {
      const now = wall.now().getTime();
      const first = since.get(what) ?? now;
      if (!since.has(what)) {
        const [oldest] = since.keys();
        if (since.size >= KEPT && oldest !== undefined) since.delete(oldest);
        since.set(what, first);
      }
      if (now - first < GRACE) throw new Error(`${what} cannot be read just now: ${because}`);
    },
    succeeded: (what) => void since.delete(what),
    renew: () => since.clear(),
  };
}

/** For who looks only once, and is told what is missing: every failure is believed. */
export const NO_GRACE: Grace = { failed() {}, succeeded() {}, renew() {} };
