import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyChain } from '../../audit.ts';
import { manualClock } from '../clock/manual.ts';
import { auditHead, auditLines } from '../sqlite/audit-log.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { inProcessBus } from './bus.ts';

const CHILD = fileURLToPath(new URL('../../../test/conformance/bus-child.ts', import.meta.url));
/** Processes take long to start on a busy machine. */
const PATIENCE = 60_000;

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'state.sqlite');
}

/** Runs a task on a state file and kills it (SIGKILL) once it has printed so many lines. Answers what it printed. */
async function killed(path: string, task: 'chain' | 'burst', after: number): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, path, task], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > after) child.kill('SIGKILL');
  });
  await once(child, 'close');
  // The last line may have been cut.
  return printed.split('\n').slice(0, -1).map(Number);
}

const published = ({ sql }: Database) =>
  [...auditLines(sql)].map(({ text }) => JSON.parse(text)).map(({ event, proposal }) => `${event} ${proposal}`);

describe('A bus whose process is killed', { timeout: PATIENCE }, () => {
  it('repeats no link of a chain and loses none', async () => {
    const path = file();
    for (let life = 0; life < 6; life++) await killed(path, 'chain', 15 + life * 7);

    const database = openDatabase(path);

    // Each link is published by the end of the one before it: a repetition or a gap would show here.
    const links = published(database);
    expect(links).toEqual(links.map((_link, index) => `reminded ${index}`));
    expect(links.length).toBeGreaterThan(100);
    expect(database.sql.prepare('SELECT count(*) AS n FROM delivery').get()).toEqual({ n: 1 });
    expect(verifyChain(auditLines(database.sql), { head: auditHead(database.sql) })).toMatchObject({ ok: true });
  });

  it.each([1, 120, 350])(
    'amid 500 publishes, after the %ith, has lost nothing and half done nothing',
    async (after) => {
      const path = file();
      const told = await killed(path, 'burst', after);

      const database = openDatabase(path);
      // What is read back need not survive: a flush for each delivery would take most of the time.
      database.sql.exec('PRAGMA synchronous = OFF');
      const bus = inProcessBus({ database, clock: manualClock('2100-01-01T00:00:00Z'), routes: {} });
      const delivered: string[] = [];
      bus.consume('only', async (event) => {
        delivered.push(`${event.event} ${'proposal' in event ? event.proposal : ''}`);
        return [];
      });
      await bus.drain();

      expect(told.length).toBeGreaterThanOrEqual(after);
      expect(delivered).toEqual(published(database));
      const pairs = delivered.length / 2;
      expect(pairs).toBeGreaterThanOrEqual(told.length);
      expect(delivered).toEqual(Array.from({ length: pairs }, (_each, n) => [`reminded ${n}`, `expired ${n}`]).flat());
      expect(verifyChain(auditLines(database.sql), { head: auditHead(database.sql) })).toMatchObject({ ok: true });
    },
  );
});
