import type { DatabaseSync } from 'node:sqlite';
import { GENESIS, hashOf, type Link } from '../../audit.ts';
import type { AuditLine } from '../../ports/store.ts';

/** The hash-chained lines of one database, and beside them the head: how many there are, and the last one's hash. */
export interface AuditLog {
  /** Appends a line. Call it inside a transaction: the head must not change meanwhile. */
  append(line: Pick<AuditLine, 'at' | 'kind' | 'text'>): void;
  lines(from: number, limit: number): AuditLine[];
}

export function auditLog(sql: DatabaseSync): AuditLog {
  const insert = sql.prepare('INSERT INTO audit (sequence, at, kind, text, previous, hash) VALUES (?, ?, ?, ?, ?, ?)');
  const head = sql.prepare(HEAD);
  const move = sql.prepare('UPDATE audit_head SET sequence = ?, hash = ?');
  const some = sql.prepare(`${LINES} WHERE sequence >= ? ORDER BY sequence LIMIT ?`);
  return {
    append({ at, kind, text }) {
      // The chain goes on from the head, not from the last line that is there: where lines were cut off, a gap stays.
      const { sequence, hash: previous } = linkOf(head.get());
      // SQLite keeps UTF-8, which has no lone surrogates: the hash must be that of the text as it is read back.
      const line = { sequence: sequence + 1, at, kind, text: text.toWellFormed(), previous };
      const hash = hashOf(line);
      insert.run(line.sequence, at, kind, line.text, previous, hash);
      move.run(line.sequence, hash);
    },
    lines: (from, limit) => some.all(from, limit).map(lineOf),
  };
}

const HEAD = 'SELECT sequence, hash FROM audit_head';
const LINES = 'SELECT sequence, at, kind, text, previous, hash FROM audit';

/** Every line, in order, one at a time: a log may be larger than the memory. */
export function* auditLines(sql: DatabaseSync): Generator<AuditLine> {
  for (const row of sql.prepare(`${LINES} ORDER BY sequence`).iterate()) yield lineOf(row);
}

/** The last line as it was noted apart from the lines: `verifyChain` tells by it that the end was cut off. */
export const auditHead = (sql: DatabaseSync): Link => linkOf(sql.prepare(HEAD).get());

const linkOf = (row: Record<string, unknown> = {}): Link => ({
  sequence: Number(row.sequence ?? 0),
  hash: String(row.hash ?? GENESIS),
});

const lineOf = (row: Record<string, unknown>): AuditLine => ({
  sequence: Number(row.sequence),
  at: String(row.at),
  kind: String(row.kind),
  text: String(row.text),
  previous: String(row.previous),
  hash: String(row.hash),
});
