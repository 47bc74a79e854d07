import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { storeConformance } from '../../../test/conformance/store.ts';
import { verifyChain } from '../../audit.ts';
import { openDatabase } from './database.ts';
import { sqliteStore } from './store.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'gleaner-')), 'state.sqlite');

storeConformance('SQLite', async () => sqliteStore(openDatabase(':memory:')));

describe('The state file', () => {
  it('keeps its items over a restart', async () => {
    const path = file();
    const first = openDatabase(path);
    await sqliteStore(first).put(
      'switch',
      { schema: 1, id: 'c', stopped: true, who: 'local:ann', at: '2026-01-15T12:00:00.000Z' },
      0,
    );
    first.close();

    const row = await sqliteStore(openDatabase(path)).get('switch', 'c');

    expect(row?.item.who).toBe('local:ann');
  });

  it('is refused when a newer Gleaner wrote it', () => {
    const path = file();
    openDatabase(path).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();

    expect(() => openDatabase(path)).toThrow(/written by a newer Gleaner .*format is 99/);
  });

  it('is migrated forward, with a copy from before', () => {
    const path = file();
    const older = new DatabaseSync(path);
    older.exec("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept')");
    older.close();

    const { sql } = openDatabase(path);

    expect(sql.prepare('SELECT text FROM note').get()).toEqual({ text: 'kept' });
    expect(existsSync(`${path}.before-1`)).toBe(true);
  });

  it('belongs to one process at a time', () => {
    const path = file();
    const first = openDatabase(path);

    expect(() => openDatabase(path)).toThrow(/in use by another Gleaner/);
    first.close();
    openDatabase(path).close();
  });

  it('is refused when it is something else', async () => {
    const { writeFileSync } = await import('node:fs');
    const path = file();
    writeFileSync(path, 'a letter to my grandmother, long enough to be no empty database file at all '.repeat(20));

    expect(() => openDatabase(path)).toThrow(/is no Gleaner state file/);
  });

  it('lets nobody change or remove a line of the audit log, and a forger is found out', async () => {
    const database = openDatabase(':memory:');
    const store = sqliteStore(database);
    for (const text of ['one', 'two', 'three'])
      await store.append({ at: '2026-01-15T12:00:00.000Z', kind: 'touch', text });

    expect(() => database.sql.exec("UPDATE audit SET text = 'none' WHERE sequence = 2")).toThrow(/append-only/);
    expect(() => database.sql.exec('DELETE FROM audit WHERE sequence = 2')).toThrow(/append-only/);

    database.sql.exec("DROP TRIGGER audit_stays; UPDATE audit SET text = 'none' WHERE sequence = 2");
    expect(verifyChain(await store.audit(1, 10))).toEqual({ ok: false, sequence: 2, because: 'line 2 was changed' });
    database.sql.exec('DROP TRIGGER audit_keeps; DELETE FROM audit WHERE sequence = 2');
    expect(verifyChain(await store.audit(1, 10))).toEqual({ ok: false, sequence: 2, because: 'line 2 is missing' });
  });
});
