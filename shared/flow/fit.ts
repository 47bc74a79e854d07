import type { Json } from '../handler.ts';
import type { DryRun, DryRuns, Found } from '../model.ts';

/** One value is shown up to here, one sentence up to there; DynamoDB takes 400 KB an item, EventBridge 256 KB an event. */
const VALUE = 2_000;
const SENTENCE = 600;
/** All that comes from the cluster together, and how many pieces of it. */
const TOTAL = 100_000;
const PIECES = 50;

/** A sentence, cut with a mark where it is too long: the API server's refusals can hold a whole object. */
export const cut = (text: string, limit = SENTENCE) => (text.length > limit ? `${text.slice(0, limit - 1)}…` : text);

/** Evidence and dry runs, cut to what a record can hold. Finding and plan are never cut: they are what is approved. */
export function fitted<T extends Pick<Found, 'evidence'>>(found: T, dryRuns: DryRuns): { found: T; dryRuns: DryRuns } {
  let left = TOTAL;
  function short(value: Json): Json {
    const text = JSON.stringify(value);
    const limit = Math.min(VALUE, Math.max(left, 1));
    left -= Math.min(text.length, limit);
    return text.length > limit ? cut(text, limit) : value;
  }
  const evidence = found.evidence.slice(0, PIECES).map((one) => ({ ...one, value: short(one.value) }));
  const run = (one: DryRun): DryRun => {
    if (one.is === 'would-change') return { ...one, differences: one.differences.slice(0, PIECES).map(difference) };
    return 'because' in one ? { ...one, because: cut(one.because) } : one;
  };
  const difference = ({
    path,
    before,
    after,
  }: {
    path: string;
    before?: Json | undefined;
    after?: Json | undefined;
  }) => ({
    path,
    ...(before !== undefined && { before: short(before) }),
    ...(after !== undefined && { after: short(after) }),
  });
  const runs = Object.fromEntries(Object.entries(dryRuns).map(([plan, each]) => [plan, each.map(run)]));
  return { found: { ...found, evidence }, dryRuns: runs };
}
