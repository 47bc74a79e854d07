import { RATES } from './limits.ts';

/** Slack's rate limits, by the test's own clock. A refused call does not count. */
export interface Rates {
  /** Off: every call passes. Turning them on starts with an empty count. */
  enforced: boolean;
  /** Counts a call; gives the whole seconds to wait where it is one too many. */
  count(call: { method: string; team: string; channel: string | undefined }): number | undefined;
}

export function startRates(now: () => Date, enforced: boolean): Rates {
  const spans = new Map<string, number[]>();
  return {
    enforced,
    count({ method, team, channel }) {
      const rate = RATES[method];
      if (!this.enforced || rate === undefined || rate === 'special') return undefined;
      const perMinute = 'perMinute' in rate;
      const [limit, span] = perMinute ? [rate.perMinute, 60_000] : [rate.perSecondAndChannel, 1_000];
      const key = [team, method, perMinute ? '' : channel].join(' ');
      const at = now().getTime();
      const recent = (spans.get(key) ?? []).filter((then) => then > at - span);
      const oldest = recent[0];
      if (recent.length >= limit && oldest !== undefined) return Math.max(1, Math.ceil((oldest + span - at) / 1_000));
      spans.set(key, [...recent, at]);
      return undefined;
    },
  };
}
