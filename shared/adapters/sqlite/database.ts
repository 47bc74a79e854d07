import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { guarded } from './guarded.ts';
import { lock, noteHolder } from './lock.ts';
import { MIGRATIONS } from './migrations.ts';

/** Says in the file's header whose it is: `Glnr` (https://www.sqlite.org/pragma.html#pragma_application_id). */
const OURS = 0x476c6e72;

/** A database file that this process owns. Every statement is synchronous, so a transaction is never interleaved. */
export interface Database {
  readonly sql: DatabaseSync;
  /** Runs `act` as one durable act: all of it or, when it throws, nothing. */
  transaction<T>(act: () => T): T;
  close(): void;
}

/**
 * Opens the state file (or `:memory:`) and migrates it forward, with a copy from before beside it as
 * `<file>.before-<format>`. Throws an Error with a sentence for a person when a newer Gleaner wrote the file, when
 * another process holds it, or when it is something else.
 */
export function openDatabase(file: string, migrations: readonly string[] = MIGRATIONS): Database {
  const release = file === ':memory:' ? () => {} : lock(file);
  let sql: DatabaseSync | undefined;
  const close = () => {
    sql?.close();
    release();
  };
  try {
    // Before-images of a cluster's objects are nobody else's: SQLite gives its side files the mode of this one.
    if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    const opened = guarded(file, () => new DatabaseSync(file, { timeout: 1_000 }));
    sql = opened;
    const transaction = transactions(opened);
    guarded(file, () => {
      const format = formatOf(opened, file, migrations.length);
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      if (format > 0 && format < migrations.length) keepCopy(opened, `${file}.before-${migrations.length}`);
      if (format < migrations.length) transaction(() => migrate(opened, migrations, format));
      noteHolder(opened);
    });
    return { sql: opened, transaction, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a state file to read it as it stands at one moment, also while another process writes to it. */
export function readDatabase(file: string): DatabaseSync {
  if (!existsSync(file)) throw new Error(`${file} is not there: name the state file that gleaner.yaml names`);
  return guarded(file, () => {
    const sql = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    try {
      const format = formatOf(sql, file, MIGRATIONS.length);
      if (format === 0) throw new Error(`${file} is empty: nothing was kept in it yet`);
      if (format < MIGRATIONS.length)
        throw new Error(`${file} was written by an older Gleaner: start this one on it, which migrates it`);
      // One read transaction: what is read first and what is read last belong together.
      sql.exec('BEGIN');
      return sql;
    } catch (error) {
      sql.close();
      throw error;
    }
  });
}

/** The format in which a file was written, 0 where it is empty. Looks before anything is written into a file of others. */
function formatOf(sql: DatabaseSync, file: string, known: number): number {
  const number = (query: string) => Number(Object.values(sql.prepare(query).get() ?? {})[0]);
  if (number('SELECT count(*) FROM sqlite_master') === 0) return 0;
  if (number('PRAGMA application_id') !== OURS)
    throw new Error(`${file} is no Gleaner state file: name another path, or move it away`);
  const format = number('PRAGMA user_version');
  if (format > known) {
    throw new Error(
      `${file} was written by a newer Gleaner (its format is ${format}, this one knows ${known}): upgrade, or name another state file`,
    );
  }
  return format;
}

function migrate(sql: DatabaseSync, migrations: readonly string[], from: number): void {
  for (const step of migrations.slice(from)) sql.exec(step);
  sql.exec(`PRAGMA application_id = ${OURS}; PRAGMA user_version = ${migrations.length}`);
}

/** A copy under its final name is whole: one that a crash cut short still has the other name, and is begun anew. */
function keepCopy(sql: DatabaseSync, path: string): void {
  const part = `${path}.part`;
  // VACUUM INTO takes an empty file, and does not flush what it wrote (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
  closeSync(openSync(part, 'w', 0o600));
  sql.prepare('VACUUM INTO ?').run(part);
  const written = openSync(part, 'r+');
  fsyncSync(written);
  closeSync(written);
  renameSync(part, path);
}

function transactions(sql: DatabaseSync): Database['transaction'] {
  return (act) => {
    sql.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      sql.exec('COMMIT');
      return result;
    } catch (error) {
      // Some errors, such as a full disk, have rolled back already: a second time would hide the first error.
      if (sql.isTransaction) sql.exec('ROLLBACK');
      throw error;
    }
  };
}
