import type * as z from 'zod';
import { GENESIS, hashOf } from '../../audit.ts';
import { Image, Incident, LastGood, Proposal, Switch } from '../../model.ts';
import type { AuditLine, Row, Store, Table, Tables } from '../../ports/store.ts';
import type { Database } from './database.ts';

const SCHEMAS: { readonly [K in Table]: z.ZodType<Tables[K]> } = {
  incident: Incident,
  proposal: Proposal,
  image: Image,
  lastGood: LastGood,
  switch: Switch,
};

/** The store of one process: items with compare-and-set, and the hash-chained audit log, in one SQLite file. */
export function sqliteStore({ sql, transaction }: Database): Store {
  const one = sql.prepare('SELECT version, json FROM item WHERE kind = ? AND id = ?');
  const some = sql.prepare('SELECT version, json FROM item WHERE kind = ? AND cluster = ? ORDER BY id');
  const every = sql.prepare('SELECT version, json FROM item WHERE kind = ? ORDER BY id');
  const insert = sql.prepare(
    'INSERT INTO item (kind, id, cluster, version, json) VALUES (?, ?, ?, 1, ?) ON CONFLICT DO NOTHING',
  );
  const update = sql.prepare(
    'UPDATE item SET version = version + 1, json = ? WHERE kind = ? AND id = ? AND version = ?',
  );
  const lines = sql.prepare(
    'SELECT sequence, at, kind, text, previous, hash FROM audit WHERE sequence >= ? ORDER BY sequence LIMIT ?',
  );

  function read<K extends Table>(table: K, row: Record<string, unknown>): Row<Tables[K]> {
    const parsed = SCHEMAS[table].safeParse(JSON.parse(String(row.json)));
    if (!parsed.success)
      throw new Error(`A stored ${table} cannot be read: ${parsed.error.issues[0]?.message ?? 'unknown shape'}`);
    return { item: parsed.data, version: Number(row.version) };
  }
  function get<K extends Table>(table: K, id: string): Row<Tables[K]> | undefined {
    const row = one.get(table, id);
    return row && read(table, row);
  }

  return {
    get: async (table, id) => get(table, id),
    async put(table, item, version) {
      const json = JSON.stringify(item);
      const cluster = 'cluster' in item ? item.cluster : null;
      const { changes } =
        version === 0 ? insert.run(table, item.id, cluster, json) : update.run(json, table, item.id, version);
      return changes === 1 ? { ok: true, version: version + 1 } : { ok: false, winner: get(table, item.id) };
    },
    async list(table, { cluster } = {}) {
      const rows = cluster === undefined ? every.all(table) : some.all(table, cluster);
      return rows.map((row) => read(table, row));
    },
    append: async (line) => transaction(() => appendAudit(sql, line)),
    audit: async (from, limit) => lines.all(from, limit).map(lineOf),
  };
}

const lineOf = (row: Record<string, unknown>): AuditLine => ({
  sequence: Number(row.sequence),
  at: String(row.at),
  kind: String(row.kind),
  text: String(row.text),
  previous: String(row.previous),
  hash: String(row.hash),
});

/** Appends a line to the chain. Call it inside a transaction: the line before it must not change meanwhile. */
export function appendAudit(sql: Database['sql'], line: { at: string; kind: string; text: string }): void {
  const last = sql.prepare('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1').get();
  const sequence = Number(last?.sequence ?? 0) + 1;
  const previous = String(last?.hash ?? GENESIS);
  const hash = hashOf({ ...line, sequence, previous });
  sql
    .prepare('INSERT INTO audit (sequence, at, kind, text, previous, hash) VALUES (?, ?, ?, ?, ?, ?)')
    .run(sequence, line.at, line.kind, line.text, previous, hash);
}
