import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type BusUnderTest, busConformance, CONFORMANCE_ROUTES } from '../../../test/conformance/bus.ts';
import { verifyChain } from '../../audit.ts';
import { manualClock } from '../clock/manual.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { inProcessBus } from './bus.ts';

function under(database: Database, clock = manualClock('2026-01-15T12:00:00Z')): BusUnderTest {
  const bus = inProcessBus({ database, clock, routes: CONFORMANCE_ROUTES, random: () => 0.5 });
  return {
    bus,
    consume: bus.consume,
    drain: bus.drain,
    advance: clock.advance,
    quarantined: async () => bus.quarantined().map(({ hop, because }) => ({ hop, because })),
    async poison(hop, text) {
      database.sql.prepare('INSERT INTO delivery (hop, event, due) VALUES (?, ?, 0)').run(hop, text);
    },
    crash: async () => under(database, clock),
  };
}

busConformance('In process', async () => under(openDatabase(':memory:')));

describe('The bus in a process', () => {
  it('delivers by itself, now and when a delay is over', async () => {
    const clock = manualClock('2026-01-15T12:00:00Z');
    const database = openDatabase(':memory:');
    const bus = inProcessBus({ database, clock, routes: CONFORMANCE_ROUTES });
    const seen: string[] = [];
    bus.consume('first', async ({ event }) => {
      seen.push(event);
      return event === 'reminded' ? [{ fact: { event: 'expired', proposal: 'a' }, after: 5_000 }] : [];
    });
    bus.start();

    await bus.publish([{ fact: { event: 'reminded', proposal: 'a' } }]);
    await vi.waitFor(() => expect(database.sql.prepare('SELECT due FROM delivery').all()).toHaveLength(1));
    expect(seen).toEqual(['reminded']);
    await vi.waitFor(() => {
      clock.advance(5_000);
      expect(seen).toEqual(['reminded', 'expired']);
    });

    await bus.close();
  });

  it('writes every event into the audit log, in the same act', async () => {
    const database = openDatabase(':memory:');
    const { bus } = under(database);

    await bus.publish([{ fact: { event: 'reminded', proposal: 'a' } }, { fact: { event: 'expired', proposal: 'b' } }]);

    const lines = await sqliteStore(database).audit(1, 10);
    expect(lines.map(({ kind, text }) => [kind, JSON.parse(text).event])).toEqual([
      ['event', 'reminded'],
      ['event', 'expired'],
    ]);
    expect(verifyChain(lines)).toMatchObject({ ok: true });
  });

  it('sets a delivery aside that fails again and again', async () => {
    const database = openDatabase(':memory:');
    const driven = under(database);
    let tries = 0;
    driven.consume('first', async () => {
      tries++;
      throw new Error('the disk is on fire');
    });
    await driven.bus.publish([{ fact: { event: 'reminded', proposal: 'a' } }]);

    for (let round = 0; round < 60; round++) {
      driven.advance(120_000);
      await driven.drain();
    }

    expect(tries).toBe(50);
    const [aside] = inProcessBus({ database, clock: manualClock('2026-01-15T12:00:00Z'), routes: {} }).quarantined();
    expect(aside?.because).toMatch(/the disk is on fire/);
  });

  it('loses nothing and repeats nothing of a chain when it is killed at any moment', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'gleaner-')), 'state.sqlite');
    const child = join(import.meta.dirname, '..', '..', '..', 'test', 'conformance', 'bus-child.ts');
    for (let life = 0; life < 8; life++) {
      const process_ = spawn(process.execPath, [child, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = 0;
      process_.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString().split('\n').length - 1;
        if (printed > 15 + life * 7) process_.kill('SIGKILL');
      });
      await once(process_, 'exit');
    }

    const database = openDatabase(path);
    const links = (await sqliteStore(database).audit(1, 10_000))
      .map(({ text }) => JSON.parse(text))
      .map(({ proposal }) => Number(proposal));
    // Each link of the chain is published by the end of the one before it: a repetition or a gap would show here.
    expect(links).toEqual(links.map((_link, index) => index));
    expect(links.length).toBeGreaterThan(100);
    const waiting = database.sql.prepare('SELECT count(*) AS n FROM delivery').get();
    expect(waiting).toEqual({ n: 1 });
  });
});
