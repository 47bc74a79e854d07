import type { Delivery } from './queue.ts';

/**
 * What becomes of a delivery whose hop has returned: it has `ended`; its end was `lost`, as when the process dies before
 * it is written, and it comes again; or it comes `twice` though what the hop returned was published.
 */
type Fate = 'ended' | 'lost' | 'twice';

/** How a bus behaves within what at-least-once and unordered allow. */
export interface Temper {
  /** From how many that are due it picks. */
  readonly choices: number;
  pick(due: readonly Delivery[]): Delivery | undefined;
  fate(): Fate;
}

export const orderly: Temper = { choices: 1, pick: ([first]) => first, fate: () => 'ended' };

/** The worst that a bus may do: any order, one end in ten lost, one delivery in ten twice. `chance` is from 0 to below 1. */
export const unrulyBy = (chance: () => number): Temper => ({
  choices: 20,
  pick: (due) => due[Math.floor(chance() * due.length)],
  fate() {
    const roll = chance();
    if (roll < 0.1) return 'lost';
    return roll < 0.2 ? 'twice' : 'ended';
  },
});
