import { existsSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { codeOf, guarded } from './guarded.ts';

/**
 * Holds a lock beside the state file until the process ends, however it ends, so that two of them never run the same
 * deliveries; the state file itself stays readable for others. Throws an Error that says who holds it. It is a lock of
 * the file system: do not share a state file over one that has none.
 */
export function lock(file: string): () => void {
  // A symbolic link and the file it leads to are one state, with one lock.
  const path = existsSync(file) ? realpathSync(file) : file;
  const holding = guarded(file, () => new DatabaseSync(`${path}.lock`, { timeout: 0 }));
  try {
    guarded(file, () => holding.exec('BEGIN EXCLUSIVE'));
  } catch (error) {
    holding.close();
    if (codeOf(Object(error).cause) !== 5) throw error;
    throw new Error(`${file} is in use by ${holderOf(path)}: stop that one first, or name another state file`);
  }
  return () => holding.close();
}

/** Notes in the state file itself, which others can read, who holds it. */
export function noteHolder(sql: DatabaseSync): void {
  sql.prepare('INSERT OR REPLACE INTO holder (one, process, host) VALUES (1, ?, ?)').run(process.pid, hostname());
}

function holderOf(file: string): string {
  try {
    const sql = new DatabaseSync(file, { readOnly: true });
    const row = sql.prepare('SELECT process, host FROM holder').get();
    sql.close();
    if (row) return `another Gleaner, process ${row.process} on ${row.host}`;
  } catch {
    // It may hold the lock and not have made its tables yet.
  }
  return 'another Gleaner';
}
