import { describe, expect, it } from 'vitest';
import type { Event, Fact, Outgoing } from '../../shared/model.ts';
import type { Bus, Consumer } from '../../shared/ports/bus.ts';
import { chance } from './chance.ts';

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

/** No wait after a throw is longer. */
const LONGEST_WAIT = 120_000;

const fact = (event: 'reminded' | 'expired', proposal: string): Outgoing => ({ fact: { event, proposal } });
const idOf = (event: Event | Fact) => ('proposal' in event ? event.proposal : '');

/** What was set aside, each thing once: a bus may bring twice what it sets aside, too. */
const setAside = async (under: BusUnderTest) =>
  new Set((await under.quarantined()).map(({ hop, because }) => `${hop}: ${because}`));

/** A consumer that notes what it was given, and publishes nothing. */
const noting =
  (seen: Set<string>, say: (event: Event) => string): Consumer =>
  async (event) => {
    seen.add(say(event));
    return [];
  };

/**
 * What every bus must do. Delivery is at least once and in any order: what was seen is compared as sets, so that a bus
 * which delivers twice passes, and one which loses or makes up something does not.
 */
export function busConformance(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} as a bus`, () => {
    carries(open);
    waits(open);
    comesBack(open);
    setsAside(open);
  });
}

function carries(open: () => Promise<BusUnderTest>): void {
  it('brings an event to every hop that takes it, and to no other', async () => {
    const under = await open();
    const seen = new Set<string>();
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

    expect(seen).toEqual(new Set(['first expired', 'first reminded', 'second expired']));
  });

  it('brings a fact as it was published, with an identity and a time', async () => {
    const under = await open();
    const [odd, seen] = ['ü "\\ \u0000 \u2028 <!channel> 🦆', [] as Event[]];
    under.consume('first', async (event) => {
      seen.push(event);
      return [];
    });

    await under.bus.publish([fact('reminded', odd)]);
    await under.drain();

    expect(seen[0]).toEqual({ event: 'reminded', proposal: odd, id: expect.any(String), at: expect.any(String) });
    expect(new Date(seen[0]?.at ?? '').toISOString()).toBe(seen[0]?.at);
  });

  it('brings large facts whole', async () => {
    const under = await open();
    // 200,000 bytes each: any two of them are more than some buses take at once.
    const names = ['a', 'b', 'c'].map((name) => `${name}${'🦆'.repeat(49_999)}`);
    const seen = new Set<string>();
    under.consume('first', noting(seen, idOf));

    await under.bus.publish(names.map((name) => fact('reminded', name)));
    await under.drain();

    expect(seen).toEqual(new Set(names));
  });

  it('brings all of many facts that are published at once', async () => {
    const under = await open();
    const [names, seen] = [Array.from({ length: 43 }, (_each, n) => `${n}`), new Set<string>()];
    under.consume('first', noting(seen, idOf));

    await under.bus.publish(names.map((name) => fact('reminded', name)));
    await under.drain();

    expect(seen).toEqual(new Set(names));
  });

  it('gives each event an identity of its own, the same in every delivery and at every hop', async () => {
    const under = await open();
    const ids = new Map<string, Set<string>>();
    const take: Consumer = async (event) => {
      ids.set(idOf(event), (ids.get(idOf(event)) ?? new Set()).add(event.id));
      return [];
    };
    under.consume('first', take);
    under.consume('second', take);

    await under.bus.publish([fact('expired', 'a'), fact('expired', 'b')]);
    await under.drain();

    expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1]);
    expect(new Set([...ids.values()].flatMap((each) => [...each])).size).toBe(2);
  });

  it('publishes what a hop returns', async () => {
    const under = await open();
    const seen = new Set<string>();
    under.consume('first', async (event) => (event.event === 'reminded' ? [fact('expired', idOf(event))] : []));
    under.consume('second', noting(seen, idOf));

    await under.bus.publish([fact('reminded', 'a')]);
    await under.drain();

    expect(seen).toEqual(new Set(['a']));
  });
}

function waits(open: () => Promise<BusUnderTest>): void {
  it('holds back what is for later until its time', async () => {
    const under = await open();
    const seen = new Set<string>();
    under.consume('first', noting(seen, idOf));

    await under.bus.publish([{ ...fact('reminded', 'later'), after: 60_000 }, fact('reminded', 'now')]);
    await under.drain();
    under.advance(59_000);
    await under.drain();
    expect(seen).toEqual(new Set(['now']));
    under.advance(1_000);
    await under.drain();

    expect(seen).toEqual(new Set(['now', 'later']));
  });

  it.each([
    ['a minute', 60_000],
    ['three hours', 10_800_000],
  ])('holds back for %s what a hop returns for later', async (_span, after) => {
    const under = await open();
    const seen = new Set<string>();
    under.consume('first', async (event) => (event.event === 'reminded' ? [{ ...fact('expired', 'b'), after }] : []));
    under.consume('second', noting(seen, idOf));

    await under.bus.publish([fact('reminded', 'a')]);
    await under.drain();
    for (let waited = 0; waited < after - 1_000; waited += 1_000) {
      under.advance(1_000);
      if (waited % 300_000 === 0) await under.drain();
    }
    await under.drain();
    expect(seen).toEqual(new Set());
    under.advance(1_000);
    await under.drain();

    expect(seen).toEqual(new Set(['b']));
  });

  it('delivers again, later, what a hop threw at, and goes on with the others meanwhile', async () => {
    const under = await open();
    const seen = new Set<string>();
    let broken = true;
    under.consume('first', async (event) => {
      if (idOf(event) === 'bad' && broken) throw new Error('not now');
      seen.add(idOf(event));
      return [];
    });

    await under.bus.publish([fact('reminded', 'bad'), fact('reminded', 'good')]);
    await under.drain();
    expect(seen).toEqual(new Set(['good']));
    broken = false;
    under.advance(LONGEST_WAIT);
    await under.drain();

    expect(seen).toEqual(new Set(['good', 'bad']));
  });

  it('loses nothing of a spreading chain of events, however often hops throw', async () => {
    const under = await open();
    const luck = chance(7);
    const leaves = new Set<string>();
    const stumbling =
      (consumer: Consumer): Consumer =>
      async (event) => {
        if (luck() < 0.3) throw new Error('stumbled');
        return consumer(event);
      };
    const grow = (path: string) => fact(path.length < 5 ? 'reminded' : 'expired', path);
    under.consume(
      'first',
      stumbling(async (event) =>
        event.event === 'reminded' ? [grow(`${idOf(event)}0`), grow(`${idOf(event)}1`)] : [],
      ),
    );
    under.consume('second', stumbling(noting(leaves, idOf)));

    await under.bus.publish([grow('')]);
    for (let round = 0; round < 60; round++) {
      await under.drain();
      under.advance(LONGEST_WAIT);
    }

    expect(leaves).toEqual(new Set(Array.from({ length: 32 }, (_each, n) => n.toString(2).padStart(5, '0'))));
  });
}

function comesBack(open: () => Promise<BusUnderTest>): void {
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
    const seen = new Set<string>();
    after.consume('first', noting(seen, idOf));
    after.advance(LONGEST_WAIT);
    await after.drain();

    expect(seen).toEqual(new Set(['under way', 'waiting']));
  });
}

function setsAside(open: () => Promise<BusUnderTest>): void {
  it.each([
    ['no JSON', '{"event":'],
    ['an unknown event', '{"event":"exploded","id":"1","at":"2026-01-15T12:00:00.000Z"}'],
    ['a known event of another shape', '{"event":"reminded","proposal":7,"id":"1","at":"2026-01-15T12:00:00.000Z"}'],
    ['a thousand levels', '['.repeat(1000) + ']'.repeat(1000)],
    ['a prototype', '{"__proto__":{"event":"reminded"},"id":"1"}'],
  ])('sets %s aside with its reason, and goes on with the others', async (_what, text) => {
    const under = await open();
    const seen = new Set<string>();
    under.consume('first', noting(seen, idOf));

    await under.poison('first', text);
    await under.bus.publish([fact('reminded', 'good')]);
    await under.drain();

    expect(seen).toEqual(new Set(['good']));
    expect([...(await setAside(under))]).toEqual([expect.stringMatching(/^first: .*cannot be read: ./)]);
  });

  it('sets aside what is thrown at for ever, with its reason, and goes on with the others', async () => {
    const under = await open();
    const seen = new Set<string>();
    under.consume('first', async (event) => {
      if (idOf(event) === 'bad') throw new Error('the disk is on fire');
      seen.add(idOf(event));
      return [];
    });

    await under.bus.publish([fact('reminded', 'bad')]);
    for (let round = 0; round < 200; round++) {
      await under.drain();
      under.advance(LONGEST_WAIT);
    }
    await under.bus.publish([fact('reminded', 'good')]);
    await under.drain();

    expect(seen).toEqual(new Set(['good']));
    expect([...(await setAside(under))]).toEqual([expect.stringMatching(/^first: .*the disk is on fire/)]);
  });
}
