import { describe, expect, it, vi } from 'vitest';
import { type BusUnderTest, busConformance, CONFORMANCE_ROUTES } from '../../../test/conformance/bus.ts';
import { chance } from '../../../test/conformance/chance.ts';
import { verifyChain } from '../../audit.ts';
import type { Outgoing } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import { manualClock } from '../clock/manual.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { type InProcessBusOptions, inProcessBus } from './bus.ts';

const START = '2026-01-15T12:00:00Z';
const reminded = (proposal: string): Outgoing => ({ fact: { event: 'reminded', proposal } });

function under(
  database: Database,
  options: Partial<InProcessBusOptions> = {},
  clock = manualClock(START),
): BusUnderTest & { waits(): unknown[] } {
  const bus = inProcessBus({ database, clock, routes: CONFORMANCE_ROUTES, random: () => 0.5, ...options });
  return {
    bus,
    consume: bus.consume,
    drain: bus.drain,
    advance: clock.advance,
    quarantined: async () => bus.quarantined(),
    async poison(hop, text) {
      database.sql.prepare('INSERT INTO delivery (hop, event, due) VALUES (?, ?, 0)').run(hop, text);
    },
    crash: async () => under(database, options, clock),
    waits: () => database.sql.prepare('SELECT due FROM delivery ORDER BY due').all(),
  };
}

busConformance('In process', async () => under(openDatabase(':memory:')));

for (const seed of [1, 2, 3]) {
  busConformance(`In process, at its worst (seed ${seed})`, async () =>
    under(openDatabase(':memory:'), { unruly: chance(seed) }),
  );
}

describe('The bus at its worst', () => {
  it('delivers in another order, delivers twice, and forgets that a delivery has ended', async () => {
    const database = openDatabase(':memory:');
    const { bus, consume, drain } = under(database, { unruly: chance(1) });
    const [seen, published] = [[] as string[], [] as string[]];
    consume('first', async (event) => {
      if (!('proposal' in event)) return [];
      seen.push(event.proposal);
      return [{ fact: { event: 'fixed', proposal: event.proposal, because: 'seen' } }];
    });

    await bus.publish(Array.from({ length: 100 }, (_each, n) => reminded(String(n).padStart(3, '0'))));
    await drain();
    for (const { text } of await sqliteStore(database).audit(101, 1_000)) published.push(JSON.parse(text).proposal);

    expect(seen).not.toEqual([...seen].sort());
    expect(new Set(seen).size).toBe(100);
    expect(seen.length).toBeGreaterThan(105);
    expect(new Set(published).size).toBe(100);
    expect(published.length).toBeGreaterThan(100);
    expect(published.length).toBeLessThan(seen.length);
  });
});

describe('Deliveries that are the same', () => {
  const look = (after?: number): Outgoing => ({ ...reminded('look'), ...(after !== undefined && { after }) });
  function alike() {
    const database = openDatabase(':memory:');
    const same: InProcessBusOptions['same'] = (fact) => ('proposal' in fact ? fact.proposal : undefined);
    const it = under(database, { same });
    return { ...it, lines: async () => (await sqliteStore(database).audit(1, 1_000)).length };
  }

  it('are one while it waits, and each is in the audit log', async () => {
    const { bus, consume, drain, lines } = alike();
    const seen: string[] = [];
    consume('first', async (event) => {
      seen.push('proposal' in event ? event.proposal : '');
      return [];
    });

    await bus.publish([look(), reminded('other'), look()]);
    await bus.publish([look()]);
    await drain();

    expect(seen).toEqual(['look', 'other']);
    expect(await lines()).toBe(4);
    await bus.publish([look()]);
    await drain();
    expect(seen).toEqual(['look', 'other', 'look']);
  });

  it('come once more where the first of them is in hand: what it was told of may have changed since', async () => {
    const { bus, consume, drain } = alike();
    let times = 0;
    consume('first', async () => {
      times += 1;
      if (times === 1) for (let n = 0; n < 10; n++) await bus.publish([look()]);
      return [];
    });

    await bus.publish([look()]);
    await drain();

    expect(times).toBe(2);
  });

  it('come when the first of them is due, and again for none that is due before', async () => {
    const { bus, waits } = alike();

    await bus.publish([look(30_000), look(60_000), look(10_000), look(20_000)]);

    expect(waits()).toEqual([10_000, 30_000].map((ms) => ({ due: Date.parse(START) + ms })));
  });

  it('do not gather behind one that fails', async () => {
    const { bus, consume, drain, waits, advance } = alike();
    let times = 0;
    consume('first', async () => {
      times += 1;
      throw new Error('it does not answer');
    });

    for (let n = 0; n < 20; n++) {
      await bus.publish([look()]);
      await drain();
    }

    expect([times, waits().length]).toEqual([1, 1]);
    advance(LONGEST_WAIT);
    await drain();
    expect(times).toBe(2);
  });
});
const LONGEST_WAIT = 120_000;

describe('The bus in a process', () => {
  it('delivers by itself, now and when a delay is over', async () => {
    const clock = manualClock(START);
    const { bus, seen } = started(clock);
    await bus.publish([reminded('a')]);
    await vi.waitFor(() => expect(seen).toEqual(['a']));

    await bus.publish([{ ...reminded('b'), after: 5_000 }]);
    clock.advance(4_999);
    await settled();
    expect(seen).toEqual(['a']);
    clock.advance(1);

    await vi.waitFor(() => expect(seen).toEqual(['a', 'b']));
    await bus.close();
  });

  it('sees what comes while it looks whether there is more', async () => {
    const clock = manualClock(START);
    const { bus, seen } = started(clock);

    // Each publish falls into another moment of the hop's work.
    for (let n = 0; n < 50; n++) {
      await bus.publish([reminded(`${n}`)]);
      for (let turn = 0; turn < n % 7; turn++) await undefined;
    }

    await vi.waitFor(() => expect(seen).toHaveLength(50));
    await bus.close();
  });

  it('notices within a minute that the clock was set', async () => {
    let skipped = 0;
    const clock = manualClock(START);
    const { bus, seen } = started({ ...clock, now: () => new Date(clock.now().getTime() + skipped) });
    await bus.publish([{ ...reminded('in a day'), after: 86_400_000 }]);
    await settled();

    skipped = 86_400_000;
    clock.advance(60_000);

    await vi.waitFor(() => expect(seen).toEqual(['in a day']));
    await bus.close();
  });

  it('takes nothing new once it closes, and ends what is under way', async () => {
    const clock = manualClock(START);
    const database = openDatabase(':memory:');
    const bus = inProcessBus({ database, clock, routes: CONFORMANCE_ROUTES });
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bus.consume('first', async () => {
      begun.resolve();
      await go.promise;
      return [];
    });
    bus.start();
    await bus.publish([reminded('a'), reminded('b')]);
    await begun.promise;

    const closed = bus.close();
    go.resolve();
    await closed;

    const left = database.sql.prepare('SELECT event FROM delivery').all();
    expect(left.map(({ event }) => JSON.parse(String(event)).proposal)).toEqual(['b']);
  });

  it('tells what it could not write, and delivers again', async () => {
    const clock = manualClock(START);
    const database = openDatabase(':memory:');
    const trouble = vi.fn<(because: string) => void>();
    const { bus, seen } = started(clock, { database, trouble });
    database.sql.exec("CREATE TRIGGER full BEFORE DELETE ON delivery BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    database.sql.exec("CREATE TRIGGER fuller BEFORE UPDATE ON delivery BEGIN SELECT RAISE(ABORT, 'disk full'); END");

    await bus.publish([reminded('a')]);
    await vi.waitFor(() => expect(trouble).toHaveBeenCalledWith(expect.stringMatching(/to first .*disk full/)));
    database.sql.exec('DROP TRIGGER full; DROP TRIGGER fuller');
    clock.advance(2_000);

    await vi.waitFor(() => expect(seen).toEqual(['a', 'a']));
    await bus.close();
    expect(database.sql.prepare('SELECT * FROM delivery').all()).toEqual([]);
  });

  it('writes every event into the audit log, in the same act', async () => {
    const database = openDatabase(':memory:');
    const { bus } = under(database);

    await bus.publish([reminded('a'), { fact: { event: 'expired', proposal: 'b' } }]);
    database.sql.exec("CREATE TRIGGER full BEFORE INSERT ON delivery BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    await expect(bus.publish([reminded('c')])).rejects.toThrow('disk full');

    const lines = await sqliteStore(database).audit(1, 10);
    expect(lines.map(({ kind, text }) => [kind, JSON.parse(text).proposal])).toEqual([
      ['event', 'a'],
      ['event', 'b'],
    ]);
    expect(verifyChain(lines)).toMatchObject({ ok: true });
  });

  it('waits twice as long after each throw, up to two minutes, and spreads the waits', async () => {
    const waits = async (random: number) => {
      const driven = under(openDatabase(':memory:'), { random: () => random });
      driven.consume('first', async () => Promise.reject(new Error('not now')));
      await driven.bus.publish([reminded('a')]);
      const found: number[] = [];
      for (let at = Date.parse(START), round = 0; round < 9; round++) {
        await driven.drain();
        const due = Number(Object(driven.waits()[0]).due);
        found.push(due - at);
        driven.advance(due - at);
        at = due;
      }
      return found.map((ms) => ms / 1_000);
    };

    expect(await waits(0)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(await waits(0.999_999)).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120].map((s) => expect.closeTo(s, 0)));
  });

  it('says of what it set aside when, how often and why', async () => {
    const database = openDatabase(':memory:');
    const driven = under(database);
    let tries = 0;
    driven.consume('first', async () => {
      tries++;
      throw new Error('the disk is on fire');
    });
    await driven.bus.publish([reminded('a')]);

    for (let round = 0; round < 60; round++) {
      driven.advance(120_000);
      await driven.drain();
    }

    expect(tries).toBe(50);
    expect(inProcessBus({ database, clock: manualClock(START), routes: {} }).quarantined()).toMatchObject([
      {
        hop: 'first',
        at: '2026-01-15T13:40:00.000Z',
        because: 'it failed 50 times, at last with: Error: the disk is on fire',
      },
    ]);
  });
});

/** A bus that runs, and what it delivered. */
function started(clock: Clock, options: Partial<InProcessBusOptions> = {}) {
  const bus = inProcessBus({ database: openDatabase(':memory:'), clock, routes: CONFORMANCE_ROUTES, ...options });
  const seen: string[] = [];
  bus.consume('first', async (event) => {
    if ('proposal' in event) seen.push(event.proposal);
    return [];
  });
  bus.start();
  return { bus, seen };
}

/** Lets all that is ready run: nothing in these buses waits for the outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
