import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyChain } from '../../audit.ts';
import { auditHead, auditLines } from './audit-log.ts';
import { openDatabase, readDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { sqliteStore } from './store.ts';

const AT = '2026-01-15T12:00:00.000Z';
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'gleaner-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const file = () => join(folder(), 'state.sqlite');
const touched = { at: AT, kind: 'touch', text: 'one' };

/** Writes into a file as another program would. */
function meddle(path: string, statements: string): void {
  const sql = new DatabaseSync(path);
  sql.exec(statements);
  sql.close();
}

describe('The state file', () => {
  it('keeps its items over a restart', async () => {
    const path = file();
    const first = openDatabase(path);
    await sqliteStore(first).put('switch', { schema: 1, id: 'c', stopped: true, who: 'local:ann', at: AT }, 0);
    first.close();

    const row = await sqliteStore(openDatabase(path)).get('switch', 'c');

    expect(row?.item.who).toBe('local:ann');
  });

  it('is for its owner only, for it holds what stood in clusters', () => {
    const path = file();
    openDatabase(path);

    for (const name of [path, `${path}-wal`]) expect(statSync(name).mode & 0o077).toBe(0);
  });

  it('keeps nothing of an act that throws', () => {
    const { sql, transaction } = openDatabase(':memory:');

    const act = () =>
      transaction(() => {
        sql.exec("INSERT INTO holder (one, process, host) VALUES (2, 1, 'x')");
      });

    expect(act).toThrow(/CHECK constraint/);
    expect(sql.isTransaction).toBe(false);
  });
});

describe('A state file of another format', () => {
  const NEXT = [...MIGRATIONS, "ALTER TABLE holder ADD COLUMN since TEXT NOT NULL DEFAULT ''"];

  it('is refused when a newer Gleaner wrote it, and left as it is', () => {
    const path = file();
    openDatabase(path, NEXT).close();

    expect(() => openDatabase(path)).toThrow(
      `${path} was written by a newer Gleaner (its format is ${NEXT.length}, this one knows ${MIGRATIONS.length}): upgrade, or name another state file`,
    );
    expect(() => readDatabase(path)).toThrow(/newer Gleaner/);
    openDatabase(path, NEXT).close();
  });

  it('is migrated forward with all that it holds, and a copy from before is kept', async () => {
    const path = file();
    const before = openDatabase(path);
    await sqliteStore(before).append(touched);
    before.close();

    const after = openDatabase(path, [...NEXT, 'CREATE TABLE more (x) ']);

    expect(verifyChain(auditLines(after.sql), { head: auditHead(after.sql) })).toMatchObject({ ok: true, lines: 1 });
    const copy = openDatabase(`${path}.before-${NEXT.length + 1}`);
    expect(await sqliteStore(copy).audit(1, 10)).toMatchObject([{ text: 'one' }]);
    expect(statSync(`${path}.before-${NEXT.length + 1}`).mode & 0o077).toBe(0);
  });

  it('stays as it was when a step of the migration fails, and is migrated by the next that does not', async () => {
    const path = file();
    const before = openDatabase(path);
    await sqliteStore(before).append(touched);
    before.close();

    expect(() => openDatabase(path, [...NEXT, 'CREATE TABLE audit (x)'])).toThrow(/audit already exists/);
    const still = openDatabase(path);
    expect(await sqliteStore(still).audit(1, 10)).toHaveLength(1);
    still.close();

    openDatabase(path, NEXT).close();
    expect(existsSync(`${path}.before-${NEXT.length}`)).toBe(true);
  });

  it('is copied anew when a crash cut the copy short', () => {
    const path = file();
    openDatabase(path).close();
    writeFileSync(`${path}.before-${NEXT.length}.part`, 'half of a co');

    openDatabase(path, NEXT).close();

    openDatabase(`${path}.before-${NEXT.length}`).close();
    expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('A state file of two processes', () => {
  it('belongs to the first, and the second is told who that is', () => {
    const path = file();
    const first = openDatabase(path);

    expect(() => openDatabase(path)).toThrow(
      `${path} is in use by another Gleaner, process ${process.pid} on ${hostname()}: stop that one first, or name another state file`,
    );
    first.close();
    openDatabase(path).close();
  });

  it('is one file by whatever name it is called', () => {
    const path = file();
    openDatabase(path).close();
    const link = join(folder(), 'link.sqlite');
    symlinkSync(path, link);

    const first = openDatabase(path);
    expect(() => openDatabase(link)).toThrow(/in use by another Gleaner/);

    first.close();
  });

  it('is free again when the first was killed', () => {
    const path = file();
    const module = join(import.meta.dirname, 'database.ts');
    const code = `const { openDatabase } = await import(${JSON.stringify(module)}); openDatabase(${JSON.stringify(path)}); process.kill(process.pid, 'SIGKILL');`;

    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code]);

    expect(signal).toBe('SIGKILL');
    openDatabase(path).close();
  });

  it('can be read beside the one that writes, as it stands at one moment', async () => {
    const path = file();
    const store = sqliteStore(openDatabase(path));
    await store.append(touched);

    const reading = readDatabase(path);
    const head = auditHead(reading);
    await store.append({ ...touched, text: 'two' });

    expect(verifyChain(auditLines(reading), { head })).toMatchObject({ ok: true, lines: 1 });
    reading.close();
    const again = readDatabase(path);
    expect(verifyChain(auditLines(again), { head: auditHead(again) })).toMatchObject({ ok: true, lines: 2 });
    again.close();
  });
});

describe('A file that is no state file', () => {
  it('is refused when it is a letter', () => {
    const path = file();
    writeFileSync(path, 'a letter to my grandmother, long enough to be no empty database file at all '.repeat(20));

    expect(() => openDatabase(path)).toThrow(`${path} is no Gleaner state file: name another path, or move it away`);
    expect(readFileSync(path, 'utf8')).toMatch(/^a letter/);
  });

  it('is refused when it is the database of something else, whatever its number, and left as it is', () => {
    for (const number of [0, 1, 99]) {
      const path = file();
      meddle(path, `CREATE TABLE note (text TEXT); PRAGMA user_version = ${number}`);
      const before = readFileSync(path);

      expect(() => openDatabase(path)).toThrow(/is no Gleaner state file/);
      expect(readFileSync(path)).toEqual(before);
    }
  });

  it('is refused when its pages are damaged', () => {
    const path = file();
    openDatabase(path).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 4_096));

    expect(() => openDatabase(path)).toThrow(/state\.sqlite is damaged: put back a copy/);
  });

  it('is refused when it lies in no folder, or is one', () => {
    expect(() => openDatabase(join(folder(), 'nowhere', 'state.sqlite'))).toThrow(/cannot be opened: check .*folder/);
    expect(() => openDatabase(folder())).toThrow(/cannot be opened/);
  });

  it('is nothing to read when it is not there, or empty', () => {
    const path = file();
    expect(() => readDatabase(path)).toThrow(/is not there: name the state file/);

    writeFileSync(path, '');
    expect(() => readDatabase(path)).toThrow(/is empty/);
    openDatabase(path).close();
  });
});
