import type { Clock } from '../../../ports/clock.ts';

const FIRST = 500;
/** So short that what came back is seen within ten seconds, and jittered so that nobody is stormed. */
const LONGEST = 2_000;
/** A definite no (401, 403, not served) is asked again at this pace in the end: rights may be granted a moment later. */
const REFUSED = 20_000;

export interface BackOff {
  /** Waits longer after each failure in a row, and never less than the server asked for (seconds). */
  failed(retryAfter?: number): Promise<void>;
  /** Waits after a refusal, soon at the pace of a lasting one. */
  refused(): Promise<void>;
  /** Waits until a round that ended by itself has lasted a second: a server that hangs up at once is no reason to spin. */
  round(began: number): Promise<void>;
  succeeded(): void;
}

/** Pauses between attempts; an abort ends each of them at once. */
export function backOff(clock: Clock, random: () => number, signal: AbortSignal): BackOff {
  let failures = 0;
  let refusals = 0;
  const jittered = (ms: number) => ms / 2 + (random() * ms) / 2;

  function pause(ms: number): Promise<void> {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        cancel();
        resolve();
      };
      const cancel = clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  return {
    failed(retryAfter = 0) {
      const grown = Math.min(FIRST * 2 ** failures, LONGEST);
      failures += 1;
      const asked = retryAfter * 1000 * (1 + random() / 5);
      return pause(Math.max(jittered(grown), asked));
    },
    refused() {
      const grown = Math.min(FIRST * 2 ** refusals, REFUSED);
      refusals += 1;
      return pause(jittered(grown) + grown / 2);
    },
    round: (began) => pause(began + jittered(1_000) - clock.now().getTime()),
    succeeded() {
      failures = 0;
      refusals = 0;
    },
  };
}
