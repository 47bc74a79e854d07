import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../shared/handler.ts';
import { chance } from '../conformance/chance.ts';
import { breakOne, type Fleet, fleet, lived, sum } from './scale.ts';

const SEED = 20_260_118;
const SIZE = 60;

describe('A day of many clusters', () => {
  it(`makes no more work per incident, per idle cluster or per tick in its last hours than in its first (seed ${SEED})`, {
    timeout: 120_000,
  }, async () => {
    const day = await lived({
      ...{ size: SIZE, hours: 24, faults: 4, beat: '15m', again: '15m', random: chance(SEED) },
    });

    const [early, late] = [sum(day.slice(2, 6)), sum(day.slice(20, 24))];
    expect(early.begun).toBeGreaterThan(30);
    for (const part of ['requests', 'items'] as const) {
      expect(late.incidents[part] / late.begun).toBeLessThan((early.incidents[part] / early.begun) * 1.15);
      expect(late.idle[part]).toBeLessThan(early.idle[part] * 1.02);
      expect(late.ticks[part]).toBeLessThan(early.ticks[part] * 1.1);
    }
  });
});

describe('A cluster that is flooded with changes', () => {
  const LOOK = 300;
  const FLOOD = 60_000;

  /** 500 changes a second on each of the first clusters, past all that gathers them before the bus. */
  function flood(it: Fleet, flooded: number): void {
    const end = it.now() + FLOOD;
    const facts = it.clusters.slice(0, flooded).map((cluster) => ({ fact: breakOne(cluster) }));
    const more = () => {
      void it.bus.publish(facts);
      if (it.now() < end) it.after(2, more);
    };
    more();
  }

  it.each([1, 5])(
    'delays the proposal of another one by no more than two looks at each of %d flooded ones',
    { timeout: 60_000 },
    async (flooded) => {
      let pass = (_ms: number) => {};
      const looks = new Map<string, number>();
      const it = await fleet({
        size: flooded + 1,
        looking: (id) => {
          looks.set(id, (looks.get(id) ?? 0) + 1);
          pass(LOOK);
        },
      });
      pass = it.advance;
      flood(it, flooded);
      const quiet = it.clusters[flooded];
      if (!quiet) throw new Error('there is no quiet cluster');
      let broken = 0;
      it.after(20_000, () => {
        broken = it.now();
        void it.bus.publish([{ fact: breakOne(quiet) }]);
      });

      while (it.now() < broken + FLOOD || broken === 0) {
        await it.bus.drain();
        it.advance(LOOK);
      }

      const proposed = await Promise.all(
        it.told.map(async ({ fact, at }) => {
          const item = fact.event === 'proposed' ? (await it.store.get('proposal', fact.proposal))?.item : undefined;
          return item?.cluster === quiet.id ? [at] : [];
        }),
      );
      const [at = Number.POSITIVE_INFINITY] = proposed.flat();
      // It is looked at twice: when it breaks, and when the fault has held for so long.
      const alone = milliseconds('30s') + 2 * LOOK;
      expect(at - broken - alone).toBeLessThanOrEqual(2 * (flooded + 1) * LOOK);
      expect(looks.get('cluster-0')).toBeLessThanOrEqual((2 * FLOOD) / LOOK);
    },
  );
});
