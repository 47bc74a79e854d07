import type { Clock } from '../../ports/clock.ts';

/** How many requests a cluster may send at once, and how many a second from then on. A watcher sends one a second at most. */
const BURST = 60;
const PER_SECOND = 2;
/** Clusters that are accounted for: those that were silent longest are forgotten, with a full budget. */
const KEPT = 10_000;

/** Gives each cluster its own budget. */
export interface Budgets {
  /** Takes one request from the budget; or the seconds after which there is one again. */
  spend(cluster: string): { readonly ok: true } | { readonly ok: false; readonly seconds: number };
}

export function budgets(clock: Pick<Clock, 'now'>): Budgets {
  const accounts = new Map<string, { readonly left: number; readonly at: number }>();
  return {
    spend(cluster) {
      const at = clock.now().getTime();
      const before = accounts.get(cluster) ?? { left: BURST, at };
      const left = Math.min(BURST, before.left + (Math.max(0, at - before.at) / 1000) * PER_SECOND);
      const isEnough = left >= 1;
      accounts.delete(cluster);
      accounts.set(cluster, { left: isEnough ? left - 1 : left, at });
      const [oldest] = accounts.keys();
      if (accounts.size > KEPT && oldest !== undefined) accounts.delete(oldest);
      return isEnough ? { ok: true } : { ok: false, seconds: Math.ceil((1 - left) / PER_SECOND) };
    },
  };
}
