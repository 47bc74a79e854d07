import type * as z from 'zod';
import { overAt, TABLES } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Row, Store, Table, Tables } from '../../ports/store.ts';
import { auditLog } from './audit-log.ts';
import type { Database } from './database.ts';
import { pruning } from './prune.ts';

/** The store of one process: items with compare-and-set, and the hash-chained audit log, in one SQLite file. Without a clock nothing expires. */
export function sqliteStore(database: Database, clock?: Pick<Clock, 'now'>): Store {
  const { sql, transaction } = database;
  const one = sql.prepare('SELECT id, version, json FROM item WHERE kind = ? AND id = ?');
  const some = sql.prepare('SELECT id, version, json FROM item WHERE kind = ? AND cluster = ? ORDER BY id');
  const every = sql.prepare('SELECT id, version, json FROM item WHERE kind = ? ORDER BY id');
  const currentOf = sql.prepare(currentRows('AND cluster = ?3'));
  const current = sql.prepare(currentRows(''));
  const insert = sql.prepare(
    'INSERT INTO item (kind, id, cluster, over, version, json) VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT DO NOTHING',
  );
  const update = sql.prepare(
    'UPDATE item SET version = version + 1, json = ?, over = ? WHERE kind = ? AND id = ? AND version = ?',
  );
  const log = auditLog(sql);
  const prune = pruning(database);

  function get<K extends Table>(table: K, id: string): Row<Tables[K]> | undefined {
    const row = one.get(table, id);
    return row && read(table, row);
  }

  return {
    get: async (table, id) => get(table, id),
    async put(table, item, version, unless = {}) {
      if (unless.expired && 'expiresAt' in item && clock && item.expiresAt <= clock.now().toISOString())
        return { ok: false, winner: get(table, item.id) };
      const json = JSON.stringify(item);
      const over = overAt(table, item) ?? null;
      const cluster = 'cluster' in item ? item.cluster : null;
      const { changes } =
        version === 0
          ? insert.run(table, item.id, cluster, over, json)
          : update.run(json, over, table, item.id, version);
      return changes === 1 ? { ok: true, version: version + 1 } : { ok: false, winner: get(table, item.id) };
    },
    async list(table, { cluster } = {}) {
      const rows = cluster === undefined ? every.all(table) : some.all(table, cluster);
      return rows.map((row) => read(table, row));
    },
    async current(table, { cluster, overSince } = {}) {
      const since = overSince ?? null;
      const rows = cluster === undefined ? current.all(table, since) : currentOf.all(table, since, cluster);
      return rows.map((row) => read(table, row)).sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
    },
    prune: async (before) => prune(before),
    append: async (line) => transaction(() => log.append(line)),
    audit: async (from, limit) => log.lines(from, limit),
  };
}

/** Two ranges of one index: with OR, or in an order of its own, SQLite would read every row of the table. */
const currentRows = (narrowed: string) =>
  ['over IS NULL', 'over >= ?2']
    .map((range) => `SELECT id, version, json FROM item WHERE kind = ?1 AND ${range} ${narrowed}`)
    .join(' UNION ALL ');

const SCHEMAS: { readonly [K in Table]: z.ZodType<Tables[K]> } = TABLES;

/** Reads a row by its table's schema. What does not fit was changed by other hands: it throws, and nothing is guessed. */
function read<K extends Table>(table: K, row: Record<string, unknown>): Row<Tables[K]> {
  const unreadable = (because: string) =>
    new Error(
      `The stored ${table} ${row.id} cannot be read (${because}): put back a copy of the state file from before it was changed`,
    );
  let json: unknown;
  try {
    json = JSON.parse(String(row.json));
  } catch (error) {
    throw unreadable(String(error));
  }
  const parsed = SCHEMAS[table].safeParse(json);
  if (parsed.success) return { item: parsed.data, version: Number(row.version) };
  const [issue] = parsed.error.issues;
  throw unreadable(`${issue?.path.join('.') || 'the whole of it'}: ${issue?.message}`);
}
