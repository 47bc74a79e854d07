import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { milliseconds } from '../../handler.ts';
import { type Event, type EventName, Fact, type Outgoing } from '../../model.ts';
import type { Bus, Consumer } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../sqlite/database.ts';
import { appendAudit } from '../sqlite/store.ts';

const Envelope = z.intersection(Fact, z.object({ id: z.string(), at: z.iso.datetime() }));

/** Waits before the next try double from the first to the longest. */
const FIRST_WAIT = milliseconds('2s');
const LONGEST_WAIT = milliseconds('2m');
/** After so many throws a delivery is set aside, where a person can see it. */
const ATTEMPTS = 50;

export interface InProcessBus extends Bus {
  consume(hop: string, consumer: Consumer): void;
  start(): void;
  /** Delivers everything that is due now, and what that publishes, until nothing is. */
  drain(): Promise<void>;
  /** What was set aside, and why. */
  quarantined(): readonly { hop: string; event: string; because: string }[];
  /** Takes no further delivery and waits for those under way. */
  close(): Promise<void>;
}

/**
 * A durable bus inside one process: one queue per hop, in the same database as the store. What a hop returns, the end
 * of its delivery and the audit lines are one transaction. A throw or a crash delivers again.
 */
export function inProcessBus(options: {
  database: Database;
  clock: Clock;
  routes: Readonly<Record<string, readonly EventName[]>>;
  random?: () => number;
}): InProcessBus {
  const { database, clock, routes, random = Math.random } = options;
  const { sql } = database;
  const next = sql.prepare(
    'SELECT id, event, attempts FROM delivery WHERE hop = ? AND due <= ? ORDER BY due, id LIMIT 1',
  );
  const soonest = sql.prepare('SELECT min(due) AS due FROM delivery WHERE hop = ?');
  const add = sql.prepare('INSERT INTO delivery (hop, event, due) VALUES (?, ?, ?)');
  const remove = sql.prepare('DELETE FROM delivery WHERE id = ?');
  const postpone = sql.prepare('UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ?');
  const setAside = sql.prepare('INSERT INTO quarantine (hop, event, at, because) VALUES (?, ?, ?, ?)');
  const consumers = new Map<string, Consumer>();
  const busy = new Map<string, Promise<void>>();
  const timers = new Map<string, () => void>();
  let running = false;

  /** Sorts by time: 12 hex digits of milliseconds, then chance. */
  const newId = (now: Date) => `${now.getTime().toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;

  function enqueue(outgoing: readonly Outgoing[]): Set<string> {
    const woken = new Set<string>();
    for (const { fact, after = 0 } of outgoing) {
      const now = clock.now();
      const text = JSON.stringify({ ...fact, id: newId(now), at: now.toISOString() });
      appendAudit(sql, { at: now.toISOString(), kind: 'event', text });
      for (const [hop, takes] of Object.entries(routes)) {
        if (!takes.includes(fact.event)) continue;
        add.run(hop, text, now.getTime() + Math.ceil(after));
        woken.add(hop);
      }
    }
    return woken;
  }

  /** Takes one delivery of a hop; false when none is due. */
  async function deliver(hop: string, consumer: Consumer): Promise<boolean> {
    const row = next.get(hop, clock.now().getTime());
    if (!row) return false;
    const [id, text, attempts] = [Number(row.id), String(row.event), Number(row.attempts)];
    const quarantine = (because: string) =>
      database.transaction(() => {
        setAside.run(hop, text, clock.now().toISOString(), because);
        remove.run(id);
      });
    let event: Event;
    try {
      event = Envelope.parse(JSON.parse(text));
    } catch (error) {
      quarantine(`it cannot be read: ${error instanceof z.ZodError ? error.issues[0]?.message : String(error)}`);
      return true;
    }
    try {
      const outgoing = await consumer(event);
      const woken = database.transaction(() => {
        remove.run(id);
        return enqueue(outgoing);
      });
      woken.forEach(wake);
    } catch (error) {
      if (attempts + 1 >= ATTEMPTS) quarantine(String(error));
      else postpone.run(clock.now().getTime() + backOff(attempts), id);
    }
    return true;
  }

  const backOff = (attempts: number) => Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempts) * (0.5 + random() / 2);

  async function work(hop: string, consumer: Consumer): Promise<void> {
    while (running && (await deliver(hop, consumer)));
    if (!running) return;
    const due: unknown = soonest.get(hop)?.due;
    timers.get(hop)?.();
    if (typeof due === 'number')
      timers.set(
        hop,
        clock.after(Math.max(1, due - clock.now().getTime()), () => wake(hop)),
      );
  }

  /** Starts a hop's work unless it is at it; whoever wakes it meanwhile is served by the same loop or by the next one. */
  function wake(hop: string): void {
    const consumer = consumers.get(hop);
    if (!running || !consumer) return;
    const before = busy.get(hop);
    if (before) return;
    const working: Promise<void> = work(hop, consumer).finally(() => {
      busy.delete(hop);
      if (next.get(hop, clock.now().getTime())) wake(hop);
    });
    busy.set(hop, working);
  }

  return {
    async publish(outgoing) {
      database.transaction(() => enqueue(outgoing)).forEach(wake);
    },
    consume: (hop, consumer) => void consumers.set(hop, consumer),
    start() {
      running = true;
      for (const hop of consumers.keys()) wake(hop);
    },
    async drain() {
      for (let found = true; found; ) {
        found = false;
        for (const [hop, consumer] of consumers) found = (await deliver(hop, consumer)) || found;
      }
    },
    quarantined: () =>
      sql
        .prepare('SELECT hop, event, because FROM quarantine ORDER BY id')
        .all()
        .map((row) => ({ hop: String(row.hop), event: String(row.event), because: String(row.because) })),
    async close() {
      running = false;
      for (const cancel of timers.values()) cancel();
      await Promise.all(busy.values());
    },
  };
}
