import { createHash } from 'node:crypto';
import type { Click, Question } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { inTime } from './patience.ts';

/** Slack shows an error after three seconds; what is left is for telling the clicker. */
const PATIENCE = 1_700;
/** A clicker who was not answered by then is told that the click is kept. */
const BEHIND_AFTER = 10_000;

export interface KeepParts {
  readonly bus: Bus;
  readonly store: Pick<Store, 'get' | 'put'>;
  /** The viewer's time: Slack waits three seconds of it. */
  readonly clock: Clock;
  readonly warn: (because: string) => void;
}

/** Whether a click or a question is kept. Where not, `because` is the sentence for whoever sent it. */
export type Kept = { readonly ok: true } | { readonly ok: false; readonly because: string };

const LOST = 'Gleaner cannot keep it at the moment, and nothing was decided by it. Try again in a minute.';
const LATE =
  'Gleaner does not get through at the moment, so it may not be kept. Try again in a minute: twice does no harm.';

/** The same whenever the same click is delivered again. */
export const idOfClick = (...what: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 24);

/**
 * Publishes a click, durably, and then notes that it came. In this order: a death between the two brings the click again,
 * which `decide` knows by its id; in the other order it would lose it. A click that has its receipt has no effect.
 */
export async function keepClick(parts: KeepParts, click: Click): Promise<Kept> {
  const { bus, store, clock, warn } = parts;
  let isKept = false;
  const keep = async () => {
    if (await store.get('receipt', click.id)) return;
    await bus.publish([
      { fact: { event: 'clicked', click } },
      { fact: { event: 'waited', click }, after: BEHIND_AFTER },
    ]);
    isKept = true;
    // Whoever wrote it meanwhile wrote the answer.
    await store.put('receipt', { schema: 1, id: click.id, at: clock.now().toISOString() }, 0);
  };
  const kept = await inTime(clock, PATIENCE, keep());
  if (kept.is === 'there') return { ok: true };
  warn(`a click was ${isKept ? 'kept, and its receipt not' : 'not kept'}: ${whyOf(kept)}`);
  if (isKept) return { ok: true };
  return { ok: false, because: kept.is === 'failed' ? LOST : LATE };
}

/** Publishes a question. One that comes twice is answered once: its answer has a receipt. */
export async function keepQuestion({ bus, clock, warn }: KeepParts, question: Question): Promise<Kept> {
  const kept = await inTime(clock, PATIENCE, bus.publish([{ fact: { event: 'asked', question } }]));
  if (kept.is === 'there') return { ok: true };
  warn(`a question was not kept: ${whyOf(kept)}`);
  return { ok: false, because: kept.is === 'failed' ? LOST : LATE };
}

const whyOf = (kept: { readonly is: 'failed'; readonly because: string } | { readonly is: 'late' }) =>
  kept.is === 'failed' ? kept.because : `it took more than ${PATIENCE} ms`;
