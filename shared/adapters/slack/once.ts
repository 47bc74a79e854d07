import { createHash } from 'node:crypto';
import type { Receipt } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Parts } from './parts.ts';
import type { Failed } from './web-api.ts';

/** After so long an answer is of no use: the card shows where things stand. Slack's reply addresses end then, too. */
const PATIENCE = 1_800_000;
const SHORTEST = 5_000;
const LONGEST = 60_000;

/** What became of telling something. */
export type Attempt = { readonly is: 'told' } | Failed;

const receiptId = (what: readonly string[]) =>
  `told:${createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 24)}`;

/** Whether something was told already, since when that is tried, and the note of how it ended. */
export async function receiptFor({ store, clock }: Parts, what: readonly string[]) {
  const id = receiptId(what);
  const row = await store.get('receipt', id);
  const at = row?.item.at ?? clock.now().toISOString();
  const put = (answer?: Receipt['answer']) =>
    store.put('receipt', { schema: 1, id, at, ...(answer && { answer }) }, row?.version ?? 0);
  return { isTold: row?.item.answer !== undefined, isNew: row === undefined, since: Date.parse(at), put };
}

/**
 * Tells what is to be told once, though it may be asked for several times: when it was told, a receipt says so. What
 * fails is tried again, less and less often, until nobody waits for it any more.
 */
export async function once(parts: Parts, what: readonly string[], tell: () => Promise<Attempt>): Promise<Told> {
  const { isTold, isNew, since, put } = await receiptFor(parts, what);
  if (isTold) return {};
  const attempt = await tell();
  if (attempt.is === 'told') {
    await put({ ok: true, because: 'told' });
    return {};
  }
  const age = parts.clock.now().getTime() - since;
  if (age >= PATIENCE) {
    parts.warn(`somebody could not be answered for half an hour: ${attempt.because}`);
    await put({ ok: false, because: 'given up' });
    return {};
  }
  if (isNew) await put();
  return { after: attempt.is === 'throttled' ? attempt.retryAfter : Math.min(LONGEST, Math.max(SHORTEST, age)) };
}
