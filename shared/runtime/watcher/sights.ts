import { milliseconds } from '../../handler.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Account } from './cursor.ts';
import { counted, span } from './moment.ts';
import type { Told } from './outbox.ts';
import type { Clocks } from './tenure.ts';

/** How long a kind that is seen again may take to be read anew, before that is told without a count. */
const RECHECK = milliseconds('10s');
/** The kind that stands for all that a watcher sees. */
export const EVERYTHING = 'everything';

type Sight = Extract<Told, { event: 'blinded' | 'sighted' }>;

/** A bus that makes of "seeing again" a report: from when to when nothing was seen, and what was read anew since. */
export function sights(bus: Bus, account: Account, clocks: Clocks): Bus & { stop(): void } {
  const since = new Map<string, Date>();
  const waiting = new Map<string, () => void>();

  function blinded(fact: Sight): Sight {
    waiting.get(fact.kind)?.();
    waiting.delete(fact.kind);
    account.blinded(fact.kind);
    since.set(fact.kind, since.get(fact.kind) ?? account.seenUntil(fact.kind) ?? clocks.wall.now());
    account.rechecked(fact.kind);
    return fact;
  }

  /** The kind answers, and what is there is being read: the count is known a moment later. */
  function sighted(fact: Sight): void {
    const [from, to] = [since.get(fact.kind), clocks.wall.now()];
    waiting.get(fact.kind)?.();
    const cancel = clocks.steady.after(RECHECK, () => {
      waiting.delete(fact.kind);
      since.delete(fact.kind);
      // Not before it is told: a leader that ends meanwhile leaves the telling to the next one.
      account.sighted(fact.kind);
      const { objects } = account.rechecked(fact.kind);
      const what = objects > 0 ? `${counted(objects, 'object')} re-checked` : 'what changed meanwhile is told now';
      const because = from ? `not seeing any ${fact.kind} ${span(from, to)}: ${what}` : fact.because;
      void bus.publish([{ fact: { ...fact, because } }]);
    });
    waiting.set(fact.kind, cancel);
  }

  return {
    async publish(outgoing) {
      const now = outgoing.flatMap((one) => {
        const { fact } = one;
        if (fact.event === 'blinded') return [{ ...one, fact: blinded(fact) }];
        if (fact.event !== 'sighted') return [one];
        sighted(fact);
        return [];
      });
      if (now.length > 0) await bus.publish(now);
    },
    stop: () => waiting.forEach((cancel) => void cancel()),
  };
}
