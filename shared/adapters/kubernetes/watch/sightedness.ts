import type { Kind } from '../../../objects.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Watched } from '../../../ports/cluster.ts';

/** Without any sign of life for this long the watch is blind. A healthy watch gives one at least every 40 s. */
const PATIENCE = 50_000;

/** Whether a watch still sees, told to whoever relies on it. */
export interface Sightedness {
  /** A sign of life: a list, an event, a bookmark, an orderly end. */
  contact(): void;
  /** Something failed that may pass by itself; it is the reason that is told if it does not. */
  trouble(because: string): void;
  /**
   * A refusal: blind at once where nothing was ever seen. Where something was, it may be an API server that starts and has
   * not read the roles yet, so that it counts as trouble first. Answers whether the watch is blind.
   */
  refused(because: string): boolean;
  stop(): void;
}

export function sightedness(clock: Clock, kind: Kind, tell: (what: Watched) => void): Sightedness {
  let last = clock.now().getTime();
  let reason = 'nothing was heard of it';
  let isBlind = false;
  let hasSeen = false;
  let cancel = clock.after(PATIENCE, check);

  function check() {
    const silence = clock.now().getTime() - last;
    if (silence >= PATIENCE) goBlind(reason);
    cancel = clock.after(silence >= PATIENCE ? PATIENCE : PATIENCE - silence, check);
  }
  function goBlind(because: string) {
    if (isBlind) return;
    isBlind = true;
    tell({ is: 'blind', kind, because });
  }
  return {
    contact() {
      hasSeen = true;
      last = clock.now().getTime();
      reason = 'nothing was heard of it';
      if (!isBlind) return;
      isBlind = false;
      tell({ is: 'seeing', kind });
    },
    trouble(because) {
      reason = because;
    },
    refused(because) {
      reason = because;
      if (!hasSeen) goBlind(because);
      return isBlind;
    },
    stop: () => cancel(),
  };
}
