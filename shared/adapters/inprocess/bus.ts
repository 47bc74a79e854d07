import { lineOf } from '../../audit.ts';
import { milliseconds } from '../../handler.ts';
import type { EventName, Fact, Outgoing } from '../../model.ts';
import type { Bus, Consumer } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { auditLog } from '../sqlite/audit-log.ts';
import type { Database } from '../sqlite/database.ts';
import { sealed, unsealed } from './envelope.ts';
import { type Delivery, queueIn, type SetAside } from './queue.ts';
import { orderly, type Temper, unrulyBy } from './temper.ts';

/** Waits before the next try double from the first to the longest. */
const FIRST_WAIT = milliseconds('2s');
const LONGEST_WAIT = milliseconds('2m');
/** After so many throws a delivery is set aside, where a person can see it. */
const ATTEMPTS = 50;
/** Somebody may set the machine's clock while a timer sleeps: what became due by that waits no longer than this. */
const LONGEST_NAP = milliseconds('1m');

export interface InProcessBus extends Bus {
  consume(hop: string, consumer: Consumer): void;
  start(): void;
  /** Delivers everything that is due now, and what that publishes, until nothing is. For tests, in place of `start`. */
  drain(): Promise<void>;
  /** What was set aside, and why. */
  quarantined(): readonly SetAside[];
  /** Takes no further delivery and waits for those under way. */
  close(): Promise<void>;
}

export interface InProcessBusOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Which hop takes which events. */
  readonly routes: Readonly<Record<string, readonly EventName[]>>;
  /**
   * What facts have in common of which one delivery will do for all that come before it is taken, as where each says "look".
   * Undefined: each is delivered.
   */
  readonly same?: (fact: Fact) => string | undefined;
  /** Spreads the waits after a throw. Gives numbers from 0 to below 1, as `unruly` does. */
  readonly random?: () => number;
  /** For tests: delivers in any order, some twice, and loses the end of some: a bus may do all of it. */
  readonly unruly?: () => number;
  /** Is told what the bus could not write, such as on a full disk. It tries again by itself. */
  readonly trouble?: (because: string) => void;
}

/**
 * A durable bus inside one process: one queue per hop, in the same database as the store. What a hop returns, the end
 * of its delivery and the audit lines are one transaction. A throw or a crash delivers again.
 */
export function inProcessBus(options: InProcessBusOptions): InProcessBus {
  const {
    database,
    clock,
    routes,
    same = () => undefined,
    random = Math.random,
    trouble = (because) => process.emitWarning(because),
  } = options;
  const temper: Temper = options.unruly ? unrulyBy(options.unruly) : orderly;
  const queue = queueIn(database);
  const audit = auditLog(database.sql);
  const consumers = new Map<string, Consumer>();
  const busy = new Map<string, Promise<void>>();
  /** The delivery that a hop has in hand: what it was told of may have changed since. */
  const taken = new Map<string, number>();
  const timers = new Map<string, () => void>();
  let running = false;

  /** Call it inside a transaction. Answers the hops that have something to do now or later. */
  function enqueue(outgoing: readonly Outgoing[]): Set<string> {
    const woken = new Set<string>();
    for (const { fact, after = 0 } of outgoing) {
      const now = clock.now();
      const event = sealed(fact, now);
      const text = JSON.stringify(event);
      audit.append({ at: now.toISOString(), kind: 'event', text: lineOf(event) });
      for (const [hop, takes] of Object.entries(routes)) {
        if (!takes.includes(fact.event)) continue;
        queue.add(hop, text, now.getTime() + Math.ceil(after), same(fact), taken.get(hop));
        woken.add(hop);
      }
    }
    return woken;
  }

  /** Takes one delivery of a hop; false when none is due. */
  async function deliver(hop: string, consumer: Consumer): Promise<boolean> {
    const delivery = temper.pick(queue.due(hop, clock.now().getTime(), temper.choices));
    if (!delivery) return false;
    const read = unsealed(delivery.text);
    if (read.ok) await hand(hop, delivery, async () => consumer(read.event));
    else quarantine(hop, delivery, read.because);
    return true;
  }

  async function hand(hop: string, delivery: Delivery, consume: () => Promise<readonly Outgoing[]>): Promise<void> {
    let woken: Set<string>;
    taken.set(hop, delivery.id);
    try {
      const outgoing = await consume();
      const fate = temper.fate();
      if (fate === 'lost') return;
      woken = database.transaction(() => {
        if (fate === 'ended') queue.end(delivery);
        return enqueue(outgoing);
      });
    } catch (error) {
      const { attempts } = delivery;
      if (attempts + 1 >= ATTEMPTS) quarantine(hop, delivery, `it failed ${ATTEMPTS} times, at last with: ${error}`);
      else queue.postpone(delivery, clock.now().getTime() + backOff(attempts));
      return;
    } finally {
      taken.delete(hop);
    }
    woken.forEach(wake);
  }

  const quarantine = (hop: string, delivery: Delivery, because: string) =>
    database.transaction(() => queue.setAside(hop, delivery, clock.now(), because));
  const backOff = (attempts: number) => Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempts) * (0.5 + random() / 2);

  /** Starts a hop's work unless it is at it: whoever comes meanwhile is seen when it ends. */
  function wake(hop: string): void {
    const consumer = consumers.get(hop);
    if (running && consumer && !busy.has(hop)) busy.set(hop, work(hop, consumer));
  }

  async function work(hop: string, consumer: Consumer): Promise<void> {
    let next: number | undefined;
    try {
      while (running) {
        if (await deliver(hop, consumer)) continue;
        next = queue.soonest(hop);
        if (next === undefined || next > clock.now().getTime()) break;
      }
    } catch (error) {
      trouble(`A delivery to ${hop} could not be written down, and comes again: ${error}`);
      next = clock.now().getTime() + FIRST_WAIT;
    }
    // From here to the timer nothing may wait: a delivery that came in between would wake nobody.
    busy.delete(hop);
    if (next !== undefined) nap(hop, next);
  }

  function nap(hop: string, until: number): void {
    timers.get(hop)?.();
    if (!running) return;
    const ms = Math.min(LONGEST_NAP, Math.max(1, until - clock.now().getTime()));
    timers.set(
      hop,
      clock.after(ms, () => wake(hop)),
    );
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
    quarantined: queue.aside,
    async close() {
      running = false;
      for (const cancel of timers.values()) cancel();
      await Promise.all(busy.values());
    },
  };
}
