import type { Clock } from '../../shared/ports/clock.ts';
import type { Lease, LeaseRead, LeaseRecord, LeaseWish, LeaseWritten } from '../../shared/ports/lease.ts';
import type { Universe } from './universe.ts';

/** How the way to the API server is. */
interface Weather {
  /** The longest that one leg of a request takes, in true milliseconds. */
  readonly latency: number;
  /** How often (0 to 1) a request or its answer is lost. */
  readonly loss: number;
}

export interface PretendLease {
  /** The Lease as one client reaches it, which gives up after `within` of its own milliseconds. */
  client(clock: Clock, within: number): Lease & { reach(isReached: boolean): void };
  weather(now: Weather): void;
  record(): LeaseRecord | undefined;
  /** Somebody deletes it. */
  remove(): void;
}

/** A Lease in memory with compare-and-set, behind a network that delays and loses in both directions. */
export function pretendLease(universe: Universe, random: () => number): PretendLease {
  let record: LeaseRecord | undefined;
  let version = 0;
  let weather: Weather = { latency: 0, loss: 0 };
  const leg = (then: () => void) => universe.after(random() * weather.latency, then);

  function apply(wish: LeaseWish, over: Pick<LeaseRecord, 'version' | 'uid'> | undefined): LeaseWritten {
    const isSame = record?.version === over?.version && (!over || record?.uid === over.uid);
    if (!isSame) return { is: 'beaten' };
    version += 1;
    record = {
      ...{ version: String(version), uid: record?.uid ?? `uid-${version}`, holder: wish.holder },
      ...{ transitions: wish.transitions, note: wish.note ?? record?.note },
      acquiredAt: wish.acquiredAt?.toISOString() ?? record?.acquiredAt,
      renewedAt: wish.renewedAt.toISOString(),
    };
    return { is: 'written', record };
  }

  return {
    client(clock, within) {
      let isReached = true;
      /** What the server does may happen although nobody hears of it, and long after who asked has given up. */
      function ask<T>(act: () => T, lost: T): Promise<T> {
        const { promise, resolve } = Promise.withResolvers<T>();
        const cancel = clock.after(within, () => resolve(lost));
        if (isReached && random() >= weather.loss)
          leg(() => {
            const answer = act();
            if (isReached && random() >= weather.loss) leg(() => resolve(answer));
          });
        return promise.finally(cancel);
      }
      return {
        read: () =>
          ask<LeaseRead>(() => (record ? { is: 'there', record } : { is: 'absent' }), {
            ...{ is: 'unreadable', because: 'no answer' },
          }),
        write: (wish, over) => ask<LeaseWritten>(() => apply(wish, over), { is: 'unknown', because: 'no answer' }),
        reach(next) {
          isReached = next;
        },
      };
    },
    weather(now) {
      weather = now;
    },
    record: () => record,
    remove() {
      record = undefined;
    },
  };
}
