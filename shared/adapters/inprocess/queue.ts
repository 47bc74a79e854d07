import type { Database } from '../sqlite/database.ts';

/** An event that waits for one hop, as it was written. */
export interface Delivery {
  readonly id: number;
  readonly text: string;
  /** How often it was thrown at. */
  readonly attempts: number;
}

/** A delivery that was taken out of the way, where a person can see it. `at` is when. */
export interface SetAside {
  readonly hop: string;
  readonly event: string;
  readonly at: string;
  readonly because: string;
}

/** The hops' queues in the state file. Times are milliseconds since 1970; nothing here begins a transaction. */
export interface Queue {
  /**
   * Adds a delivery. One that is the `same` as another is not needed while that one waits, is due no later, and is not the
   * one that is `taken`.
   */
  add(hop: string, text: string, due: number, same?: string, taken?: number): void;
  /** What is due at `now`, the longest due first, at most `limit`. */
  due(hop: string, now: number, limit: number): readonly Delivery[];
  /** When the next delivery of a hop is due. */
  soonest(hop: string): number | undefined;
  end(delivery: Delivery): void;
  postpone(delivery: Delivery, due: number): void;
  setAside(hop: string, delivery: Delivery, at: Date, because: string): void;
  aside(): readonly SetAside[];
}

export function queueIn({ sql }: Database): Queue {
  // One that was thrown at stands for the others, too: they would meet the same.
  const add = sql.prepare(
    `INSERT INTO delivery (hop, event, due, same) SELECT ?1, ?2, ?3, ?4
     WHERE ?4 IS NULL OR NOT EXISTS (
       SELECT 1 FROM delivery WHERE hop = ?1 AND same = ?4 AND (due <= ?3 OR attempts > 0) AND id IS NOT ?5
     )`,
  );
  const due = sql.prepare(
    'SELECT id, event, attempts FROM delivery WHERE hop = ? AND due <= ? ORDER BY due, id LIMIT ?',
  );
  const soonest = sql.prepare('SELECT min(due) AS due FROM delivery WHERE hop = ?');
  const end = sql.prepare('DELETE FROM delivery WHERE id = ?');
  const postpone = sql.prepare('UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ?');
  const setAside = sql.prepare('INSERT INTO quarantine (hop, event, at, because) VALUES (?, ?, ?, ?)');
  const aside = sql.prepare('SELECT hop, event, at, because FROM quarantine ORDER BY id');
  return {
    add: (hop, text, at, same, taken) => void add.run(hop, text, at, same ?? null, taken ?? null),
    due: (hop, now, limit) =>
      due
        .all(hop, now, limit)
        .map((row) => ({ id: Number(row.id), text: String(row.event), attempts: Number(row.attempts) })),
    soonest(hop) {
      const at: unknown = soonest.get(hop)?.due;
      return typeof at === 'number' ? at : undefined;
    },
    end: ({ id }) => void end.run(id),
    postpone: ({ id }, at) => void postpone.run(Math.ceil(at), id),
    setAside(hop, { id, text }, at, because) {
      setAside.run(hop, text, at.toISOString(), because);
      end.run(id);
    },
    aside: () =>
      aside.all().map((row) => ({
        hop: String(row.hop),
        event: String(row.event),
        at: String(row.at),
        because: String(row.because),
      })),
  };
}
