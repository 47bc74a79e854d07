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
  add(hop: string, text: string, due: number): void;
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
  const add = sql.prepare('INSERT INTO delivery (hop, event, due) VALUES (?, ?, ?)');
  const due = sql.prepare(
    'SELECT id, event, attempts FROM delivery WHERE hop = ? AND due <= ? ORDER BY due, id LIMIT ?',
  );
  const soonest = sql.prepare('SELECT min(due) AS due FROM delivery WHERE hop = ?');
  const end = sql.prepare('DELETE FROM delivery WHERE id = ?');
  const postpone = sql.prepare('UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ?');
  const setAside = sql.prepare('INSERT INTO quarantine (hop, event, at, because) VALUES (?, ?, ?, ?)');
  const aside = sql.prepare('SELECT hop, event, at, because FROM quarantine ORDER BY id');
  return {
    add: (hop, text, at) => void add.run(hop, text, at),
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
