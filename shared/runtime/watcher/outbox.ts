import type { ObjectRef } from '../../handler.ts';
import type { Fact, Outgoing } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

/** How many objects an event names; the look finds the others. */
const NAMED = 20;

/** The facts that a watcher tells. */
export type Told = Extract<Fact, { event: 'observed' | 'blinded' | 'sighted' | 'beat' }>;

/** What waits to be sent. It cannot grow: one entry per failure mode, one per kind, and one heartbeat. */
export interface Outbox extends Bus {
  /** Everything that waits, which waits no longer. */
  take(): readonly Told[];
  /** Brings back what could not be sent; what came meanwhile counts as the newer. */
  putBack(facts: readonly Told[]): void;
  size(): number;
  /** Since when the oldest entry waits. */
  waitingSince(): Date | undefined;
  /** How many changes of objects came in since this was asked last. */
  changes(): number;
  /** Resolves once something waits. */
  filled(): Promise<void>;
}

interface Entry {
  readonly fact: Told;
  readonly since: Date;
}

export function outbox(wall: Pick<Clock, 'now'>): Outbox {
  let entries = new Map<string, Entry>();
  /** Since when what was taken last had waited: it comes back with its age. */
  let taken = new Map<string, Date>();
  let changes = 0;
  let filled = Promise.withResolvers<void>();

  function put(fact: Told, since: Date) {
    const key = keyOf(fact);
    const older = entries.get(key);
    entries.set(key, older ? { fact: merged(older.fact, fact), since: older.since } : { fact, since });
    filled.resolve();
  }

  return {
    async publish(outgoing: readonly Outgoing[]) {
      for (const { fact } of outgoing) {
        if (fact.event === 'observed') changes += fact.objects.length;
        put(toldOf(fact), wall.now());
      }
    },
    take() {
      const facts = [...entries.values()].map(({ fact }) => fact);
      taken = new Map([...entries].map(([key, { since }]) => [key, since]));
      entries = new Map();
      filled = Promise.withResolvers();
      return facts;
    },
    putBack(facts) {
      const newer = [...entries.values()];
      entries = new Map();
      for (const fact of facts) put(fact, taken.get(keyOf(fact)) ?? wall.now());
      for (const { fact, since } of newer) put(fact, since);
    },
    size: () => entries.size,
    waitingSince: () =>
      [...entries.values()]
        .map(({ since }) => since)
        .reduce<Date | undefined>((a, b) => (a && a <= b ? a : b), undefined),
    changes() {
      const counted = changes;
      changes = 0;
      return counted;
    },
    filled: () => filled.promise,
  };
}

/** The fact as one that a watcher tells. Throws for any other: a watcher has no business with it. */
function toldOf(fact: Fact): Told {
  switch (fact.event) {
    case 'observed':
    case 'blinded':
    case 'sighted':
    case 'beat':
      return fact;
    default:
      throw new Error(`A watcher does not tell that something was ${fact.event}: it sends observations alone`);
  }
}

function keyOf(fact: Told): string {
  switch (fact.event) {
    case 'observed':
      return `observed ${fact.mode}`;
    case 'blinded':
    case 'sighted':
      return `sight ${fact.kind}`;
    case 'beat':
      return 'beat';
  }
}

/** Two observations of a mode are one that names the objects of both; of anything else the newer one counts. */
function merged(older: Told, newer: Told): Told {
  if (older.event !== 'observed' || newer.event !== 'observed') return newer;
  const objects = new Map([...older.objects, ...newer.objects].map((ref) => [nameOf(ref), ref]));
  // Why everything is looked at anew says more than that something changed.
  const because = older.objects.length === 0 ? older.because : newer.because;
  return { ...newer, because, objects: [...objects.values()].slice(0, NAMED) };
}

const nameOf = ({ uid, kind, namespace = '', name }: ObjectRef) => uid ?? `${kind}/${namespace}/${name}`;
