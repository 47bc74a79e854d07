import { describe, expect, it } from 'vitest';
import { storeConformance } from '../../../test/conformance/store.ts';
import { verifyChain } from '../../audit.ts';
import { auditHead, auditLines } from './audit-log.ts';
import { openDatabase } from './database.ts';
import { sqliteStore } from './store.ts';

const AT = '2026-01-15T12:00:00.000Z';

const clock = { now: () => new Date(AT) };
storeConformance('SQLite', async () => sqliteStore(openDatabase(':memory:'), clock));

describe('What stands in the database', () => {
  it.each([
    ['no JSON', '{"schema":1', /switch c cannot be read \(SyntaxError.*put back a copy/],
    ['another shape', '{"schema":1,"id":"c","stopped":"yes","who":"local:ann","at":"x"}', /\(stopped: .*boolean/],
    ['another schema', '{"schema":2,"id":"c","stopped":true,"who":"local:ann","at":"x"}', /\(schema: /],
  ])('is refused, and nothing guessed, when it is %s', async (_what, json, problem) => {
    const database = openDatabase(':memory:');
    database.sql.prepare("INSERT INTO item (kind, id, version, json) VALUES ('switch', 'c', 1, ?)").run(json);
    const store = sqliteStore(database);

    await expect(store.get('switch', 'c')).rejects.toThrow(problem);
    await expect(store.list('switch')).rejects.toThrow(problem);
  });
});

describe('The audit log in SQLite', () => {
  async function written(...texts: readonly string[]) {
    const database = openDatabase(':memory:');
    const store = sqliteStore(database);
    for (const text of texts) await store.append({ at: AT, kind: 'touch', text });
    const verified = () => verifyChain(auditLines(database.sql), { head: auditHead(database.sql) });
    return { ...database, store, verified };
  }

  it('lets nobody change or remove a line', async () => {
    const { sql, verified } = await written('one', 'two', 'three');

    for (const statement of [
      "UPDATE audit SET text = 'none' WHERE sequence = 2",
      'DELETE FROM audit WHERE sequence = 2',
      'UPDATE audit_head SET sequence = 2',
      'DELETE FROM audit_head',
    ]) {
      expect(() => sql.exec(statement)).toThrow(/append-only/);
    }

    expect(verified()).toMatchObject({ ok: true, lines: 3 });
  });

  it('shows what a forger did who took the locks off', async () => {
    const { sql, verified } = await written('one', 'two', 'three');
    sql.exec('DROP TRIGGER audit_stays; DROP TRIGGER audit_keeps');

    sql.exec("UPDATE audit SET text = 'none' WHERE sequence = 2");
    expect(verified()).toEqual({ ok: false, sequence: 2, because: 'line 2 was changed' });

    sql.exec('DELETE FROM audit WHERE sequence = 2');
    expect(verified()).toEqual({ ok: false, sequence: 2, because: 'line 2 is missing' });
  });

  it('shows that its end was cut off, at once and after it went on', async () => {
    const { sql, store, verified } = await written('one', 'two', 'three');
    sql.exec('DROP TRIGGER audit_keeps; DELETE FROM audit WHERE sequence > 1');

    expect(verified()).toMatchObject({ ok: false, sequence: 2, because: expect.stringMatching(/end is missing/) });
    await store.append({ at: AT, kind: 'touch', text: 'four' });

    expect(verified()).toEqual({ ok: false, sequence: 2, because: 'line 2 is missing' });
  });

  it('reads a log of any length one line at a time', async () => {
    const { sql } = await written('one', 'two');

    const lines = auditLines(sql);

    expect(lines.next().value).toMatchObject({ sequence: 1, text: 'one' });
    expect(lines.next().value).toMatchObject({ sequence: 2, text: 'two' });
    expect(lines.next().done).toBe(true);
  });
});
