import type { Database } from './database.ts';

/** How many items of each table go at most in one go: what else waits for the file must not wait for long. */
const AT_ONCE = 500;

/** Proposals that were over before a time, and that nothing names which is not over. */
const PROPOSALS = `
  SELECT id FROM item AS done WHERE kind = 'proposal' AND over < ?
    AND NOT EXISTS (SELECT 1 FROM item WHERE kind = 'incident' AND over IS NULL AND json ->> 'proposal' = done.id)
    AND NOT EXISTS (SELECT 1 FROM item WHERE kind = 'proposal' AND over IS NULL AND json ->> 'undoes' = done.id)
  ORDER BY over LIMIT ${AT_ONCE}`;

/** Incidents that were over before a time; the undo of a run belongs to one that may be. */
const INCIDENTS = `
  SELECT id FROM item AS done WHERE kind = 'incident' AND over < ?
    AND NOT EXISTS (SELECT 1 FROM item WHERE kind = 'proposal' AND over IS NULL AND json ->> 'incident' = done.id)
  ORDER BY over LIMIT ${AT_ONCE}`;

const OTHERS = `
  DELETE FROM item WHERE kind = ?1
    AND id IN (SELECT id FROM item WHERE kind = ?1 AND over < ?2 ORDER BY over LIMIT ${AT_ONCE})`;

/** Removes what was over before given times, as `Store.prune` has it; each item goes together with what hangs on it. */
export function pruning({ sql, transaction }: Database): (before: { closed: string; received: string }) => void {
  const [proposals, incidents, others] = [sql.prepare(PROPOSALS), sql.prepare(INCIDENTS), sql.prepare(OTHERS)];
  const one = sql.prepare('DELETE FROM item WHERE kind = ? AND id = ?');
  // The ids of a proposal's images are its own, a slash and a number: `0` is what follows the slash.
  const images = sql.prepare("DELETE FROM item WHERE kind = 'image' AND id > ?1 || '/' AND id < ?1 || '0'");
  const idsOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ id }) => String(id));
  return ({ closed, received }) =>
    transaction(() => {
      for (const id of idsOf(proposals.all(closed))) {
        images.run(id);
        one.run('proposal', id);
      }
      for (const id of idsOf(incidents.all(closed))) {
        one.run('post', id);
        one.run('incident', id);
      }
      others.run('silence', closed);
      others.run('receipt', received);
    });
}
