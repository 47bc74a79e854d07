import { milliseconds } from '../../handler.ts';
import type { Bus } from '../../ports/bus.ts';
import { type Account, type Cursor, seenBy } from './cursor.ts';
import { counted, span } from './moment.ts';
import { EVERYTHING } from './sights.ts';
import type { Clocks } from './tenure.ts';

/** Everything is read anew once nothing more has come for this long, */
const QUIET = milliseconds('3s');
/** and is told of after this long in any case. */
const LATEST = milliseconds('30s');
/** So often it is looked whether that is so. */
const STEP = milliseconds('1s');

export interface HandoverOptions {
  readonly cluster: string;
  readonly cursor: Cursor | undefined;
  /** When the former leader was last heard of; it counts where its cursor says nothing. */
  readonly formerAt: Date | undefined;
  /** Whether the former leader gave up in order; then there is nothing to tell but what it did not see. */
  readonly inOrder: boolean;
  readonly account: Account;
  readonly bus: Bus;
  readonly clocks: Clocks;
}

/**
 * Tells, once everything has been read anew, from when to when nobody watched; and of kinds that the former leader did
 * not see, that they are seen. The answer ends it.
 */
export function handover({ cluster, cursor, formerAt, inOrder, account, bus, clocks }: HandoverOptions): () => void {
  const [from, to] = [seenBy(cursor) ?? formerAt, clocks.wall.now()];
  const began = clocks.steady.now().getTime();
  let cancel = clocks.steady.after(STEP, look);

  function look() {
    const waited = clocks.steady.now().getTime() - began;
    const last = account.lastListed();
    const isQuiet = last !== undefined && clocks.wall.now().getTime() - last.getTime() >= QUIET;
    if (isQuiet || waited >= LATEST) return tell();
    cancel = clocks.steady.after(STEP, look);
  }

  function tell() {
    const { objects, kinds } = account.rechecked();
    const what = `${counted(objects, 'object')} of ${counted(kinds, 'kind')} re-checked, and every failure mode looks again`;
    const unseen = (cursor?.blind ?? []).filter((kind) => kind !== EVERYTHING);
    const blind = account.blind();
    const facts = [
      ...unseen
        .filter((kind) => !blind.includes(kind))
        .map((kind) => ({ kind, because: `seeing every ${kind} again, after another watcher began to lead` })),
      ...(inOrder || !from ? [] : [{ kind: EVERYTHING, because: `nobody watched ${span(from, to)}: ${what}` }]),
    ];
    for (const { kind, because } of facts) {
      account.sighted(kind);
      void bus.publish([{ fact: { event: 'sighted', cluster, kind, because } }]);
    }
  }

  return () => cancel();
}
