import { describe, expect, it } from 'vitest';
import type { Event, Fact, Outgoing } from '../../shared/model.ts';
import type { Bus, Consumer } from '../../shared/ports/bus.ts';

/** A bus under test, with a clock that the suite moves. */
export interface BusUnderTest {
  readonly bus: Bus;
  consume(hop: 'first' | 'second', consumer: Consumer): void;
  /** Delivers all that is due. */
  drain(): Promise<void>;
  advance(ms: number): void;
  /** What was set aside, with the reason. */
  quarantined(): Promise<readonly { readonly hop: string; readonly because: string }[]>;
  /** Puts a delivery on a hop's queue that is no event. */
  poison(hop: 'first' | 'second', text: string): Promise<void>;
  /** Ends without finishing what is under way, and opens again on the same durable state. */
  crash(): Promise<BusUnderTest>;
}

/** `first` takes `reminded` and `expired`, `second` takes `expired`. */
export const CONFORMANCE_ROUTES = { first: ['reminded', 'expired'], second: ['expired'] } as const;

const fact = (event: 'reminded' | 'expired', proposal: string): Outgoing => ({ fact: { event, proposal } });
const idOf = (event: Event | Fact) => ('proposal' in event ? event.proposal : '');

/** A consumer that notes what it was given, and publishes nothing. */
const noting =
  (seen: string[], say: (event: Event) => string): Consumer =>
  async (event) => {
    seen.push(say(event));
    return [];
  };

/** What every bus must do. */
export function busConformance(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} as a bus`, () => {
    it('brings an event to every hop that takes it, and to no other', async () => {
      const under = await open();
      const seen: string[] = [];
      under.consume(
        'first',
        noting(seen, ({ event }) => `first ${event}`),
      );
      under.consume(
        'second',
        noting(seen, ({ event }) => `second ${event}`),
      );

      await under.bus.publish([fact('reminded', 'a'), fact('expired', 'b')]);
      await under.drain();

      expect(seen.sort()).toEqual(['first expired', 'first reminded', 'second expired']);
    });

    it('publishes what a hop returns', async () => {
      const under = await open();
      const seen: string[] = [];
      under.consume('first', async (event) => (event.event === 'reminded' ? [fact('expired', idOf(event))] : []));
      under.consume('second', noting(seen, idOf));

      await under.bus.publish([fact('reminded', 'a')]);
      await under.drain();

      expect(seen).toEqual(['a']);
    });

    it('delivers again, later, what a hop threw at, and goes on with the others meanwhile', async () => {
      const under = await open();
      const seen: string[] = [];
      let broken = true;
      under.consume('first', async (event) => {
        if (idOf(event) === 'bad' && broken) throw new Error('not now');
        seen.push(idOf(event));
        return [];
      });

      await under.bus.publish([fact('reminded', 'bad'), fact('reminded', 'good')]);
      await under.drain();
      expect(seen).toEqual(['good']);
      broken = false;
      under.advance(120_000);
      await under.drain();

      expect(seen).toEqual(['good', 'bad']);
    });

    it('holds back what is for later until its time', async () => {
      const under = await open();
      const seen: string[] = [];
      under.consume('first', noting(seen, idOf));

      await under.bus.publish([{ ...fact('reminded', 'later'), after: 60_000 }, fact('reminded', 'now')]);
      await under.drain();
      expect(seen).toEqual(['now']);
      under.advance(60_000);
      await under.drain();

      expect(seen).toEqual(['now', 'later']);
    });

    it('delivers after a crash what was published, under way, or waiting, and nothing that was over', async () => {
      const under = await open();
      under.consume('first', async (event) => {
        if (idOf(event) === 'under way') throw new Error('killed');
        return [];
      });
      await under.bus.publish([fact('reminded', 'over')]);
      await under.drain();
      await under.bus.publish([fact('reminded', 'under way'), { ...fact('reminded', 'waiting'), after: 1_000 }]);
      await under.drain();

      const after = await under.crash();
      const seen: string[] = [];
      after.consume('first', noting(seen, idOf));
      after.advance(120_000);
      await after.drain();

      expect(seen.sort()).toEqual(['under way', 'waiting']);
    });

    it.each([
      ['no JSON', '{"event":'],
      ['an unknown event', '{"event":"exploded","id":"1","at":"2026-01-15T12:00:00.000Z"}'],
      ['a known event of another shape', '{"event":"reminded","proposal":7,"id":"1","at":"2026-01-15T12:00:00.000Z"}'],
      ['a thousand levels', '['.repeat(1000) + ']'.repeat(1000)],
      ['a prototype', '{"__proto__":{"event":"reminded"},"id":"1"}'],
    ])('sets %s aside with its reason, and goes on with the others', async (_what, text) => {
      const under = await open();
      const seen: string[] = [];
      under.consume('first', noting(seen, idOf));

      await under.poison('first', text);
      await under.bus.publish([fact('reminded', 'good')]);
      await under.drain();

      expect(seen).toEqual(['good']);
      expect(await under.quarantined()).toEqual([{ hop: 'first', because: expect.stringMatching(/cannot be read/) }]);
    });

    it('gives each event an identity of its own, the same in every delivery', async () => {
      const under = await open();
      const ids: string[] = [];
      const take: Consumer = noting(ids, ({ id }) => id);
      under.consume('first', take);
      under.consume('second', take);

      await under.bus.publish([fact('expired', 'a'), fact('expired', 'b')]);
      await under.drain();

      expect(ids).toHaveLength(4);
      expect(new Set(ids).size).toBe(2);
    });
  });
}
