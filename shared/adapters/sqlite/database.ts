import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from './migrations.ts';

/** A database file that this process owns. Every statement is synchronous, so a transaction is never interleaved. */
export interface Database {
  readonly sql: DatabaseSync;
  /** Runs `act` as one durable act: all of it or, when it throws, nothing. */
  transaction<T>(act: () => T): T;
  close(): void;
}

/**
 * Opens the state file, migrates it forward and keeps a copy from before. Throws an Error with a sentence for a person
 * when a newer Gleaner wrote the file, when another process holds it, or when it is no database.
 */
export function openDatabase(file: string): Database {
  const release = file === ':memory:' ? () => {} : lock(file);
  try {
    const isNew = file === ':memory:' || !existsSync(file);
    const sql = open(file);
    const transaction = transactions(sql);
    migrate(sql, transaction, file, isNew);
    return {
      sql,
      transaction,
      close() {
        sql.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens a state file to read it beside the process that owns it. */
export function readDatabase(file: string): DatabaseSync {
  if (!existsSync(file)) throw new Error(`${file} is not there: name the state file that gleaner.yaml names`);
  return guarded(file, () => new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));
}

/**
 * Holds a lock beside the file until the process ends, however it ends, so that two of them never run the same
 * deliveries. The file itself stays readable for others.
 */
function lock(file: string): () => void {
  return guarded(file, () => {
    const holder = new DatabaseSync(`${file}.lock`, { timeout: 0 });
    holder.exec('BEGIN EXCLUSIVE');
    return () => holder.close();
  });
}

function open(file: string): DatabaseSync {
  return guarded(file, () => {
    const sql = new DatabaseSync(file, { timeout: 1_000 });
    sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    return sql;
  });
}

/** Turns SQLite's codes (https://www.sqlite.org/rescode.html) into sentences: 5 is SQLITE_BUSY, 26 SQLITE_NOTADB. */
function guarded<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = Object(error).errcode;
    if (code === 5)
      throw new Error(`${file} is in use by another Gleaner: stop that one first, or name another state file`);
    if (code === 26) throw new Error(`${file} is no Gleaner state file: name another path, or move it away`);
    throw new Error(`${file} cannot be opened: ${Object(error).message ?? String(error)}`);
  }
}

function transactions(sql: DatabaseSync): Database['transaction'] {
  return (act) => {
    sql.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      sql.exec('COMMIT');
      return result;
    } catch (error) {
      sql.exec('ROLLBACK');
      throw error;
    }
  };
}

function migrate(sql: DatabaseSync, transaction: Database['transaction'], file: string, isNew: boolean): void {
  const version = Number(sql.prepare('PRAGMA user_version').get()?.user_version);
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) {
    sql.close();
    throw new Error(
      `${file} was written by a newer Gleaner (its format is ${version}, this one knows ${MIGRATIONS.length}): upgrade, or name another state file`,
    );
  }
  // What is still in the write-ahead log must be in the copy, too.
  if (!isNew)
    sql.exec(
      `PRAGMA wal_checkpoint(TRUNCATE); VACUUM INTO '${file.replaceAll("'", "''")}.before-${MIGRATIONS.length}'`,
    );
  transaction(() => {
    for (const step of MIGRATIONS.slice(version)) sql.exec(step);
    sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
