import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { inProcessBus } from '../../shared/adapters/inprocess/bus.ts';
import { processSeal } from '../../shared/adapters/seal/process.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../shared/adapters/sqlite/store.ts';
import { ROUTES, sameLook } from '../../shared/flow/routes.ts';
import { onePolicy, type World } from '../../shared/flow/world.ts';
import { type Duration, type Mode, milliseconds } from '../../shared/handler.ts';
import type { Event, Fact } from '../../shared/model.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import type { Store } from '../../shared/ports/store.ts';
import { HOPS } from '../../shared/worlds/hops.ts';
import { type SimulatedCluster, simulatedCluster } from './cluster.ts';
import { paintMode } from './mode.ts';
import { BROKEN, node } from './paint.ts';
import { EVERYBODY, POLICY } from './world.ts';

const START = '2026-01-15T00:00:00.000Z';

/** What the flow asked of the store: how often, and of how many items. */
export interface Work {
  requests: number;
  items: number;
}

/** Gives what is asked of a store to whoever is at work: `account` says who that is. */
function accounted(store: Store, account: () => Work): Store {
  const counted = <T>(items: number, answer: T): T => {
    const work = account();
    work.requests += 1;
    work.items += items;
    return answer;
  };
  return {
    get: async (table, id) => counted(1, await store.get(table, id)),
    put: async (table, item, version, unless) => counted(1, await store.put(table, item, version, unless)),
    async list(table, where) {
      const rows = await store.list(table, where);
      return counted(rows.length, rows);
    },
    async current(table, where) {
      const rows = await store.current(table, where);
      return counted(rows.length, rows);
    },
    prune: async (before) => counted(0, await store.prune(before)),
    append: async (line) => counted(1, await store.append(line)),
    audit: async (from, limit) => counted(limit, await store.audit(from, limit)),
  };
}

/** Many clusters on one Gleaner, by a clock that the caller moves. */
export interface Fleet {
  readonly clusters: readonly SimulatedCluster[];
  readonly store: Store;
  readonly now: () => number;
  readonly bus: ReturnType<typeof inProcessBus>;
  /** Every fact that reached whoever is told, with the time. */
  readonly told: { readonly fact: Fact; readonly at: number }[];
  advance(ms: number): void;
  after(ms: number, then: () => void): void;
}

export interface FleetOptions {
  readonly size: number;
  readonly again?: Duration;
  /** Who pays for what is asked of the store while this event is handled. */
  readonly payer?: (event: Event) => Work;
  /** Is called when a look at a cluster begins. */
  readonly looking?: (cluster: string) => void;
  /** Where the state is kept; in memory where it is not said. */
  readonly file?: string;
}

const nobody: Work = { requests: 0, items: 0 };

export async function fleet({ size, again = '5m', payer, looking, file = ':memory:' }: FleetOptions): Promise<Fleet> {
  const clock = manualClock(START);
  const database = openDatabase(file);
  // What is lost when the machine fails is nothing to a simulation.
  database.sql.exec('PRAGMA synchronous = OFF');
  let account = nobody;
  const durable = sqliteStore(database, clock);
  const clusters = Array.from({ length: size }, (_each, n) => one(n, clock.now, looking));
  const byId = new Map<string, Cluster>(clusters.map((cluster) => [cluster.id, cluster]));
  const modes: readonly Mode[] = [{ ...paintMode, again }];
  const world: World = {
    ...{ clock, modes, known: byId, clusters: byId, rules: onePolicy(POLICY), directory: EVERYBODY, seal: processSeal },
    store: accounted(durable, () => account),
  };
  const bus = inProcessBus({ database, clock, routes: ROUTES, same: sameLook });
  const told: Fleet['told'] = [];
  for (const [hop, run] of Object.entries(HOPS)) {
    bus.consume(hop, async (event) => {
      account = payer?.(event) ?? nobody;
      return run(world, event);
    });
  }
  bus.consume('notify', async (event) => {
    told.push({ fact: event, at: clock.now().getTime() });
    return [];
  });
  for (const { id, name, flavour, does } of clusters)
    await durable.put('cluster', { schema: 1, id, name, flavour, does, registeredAt: START }, 0);
  return {
    ...{ clusters, bus, told, store: durable, now: () => clock.now().getTime() },
    advance: clock.advance,
    after: (ms, then) => void clock.after(ms, then),
  };
}

function one(n: number, now: () => Date, looking: FleetOptions['looking']): SimulatedCluster {
  const cluster = simulatedCluster(now);
  const { look } = cluster;
  const id = `cluster-${n}`;
  Object.assign(cluster, {
    id,
    name: `site ${n}`,
    look: async (...given: Parameters<typeof look>) => {
      looking?.(id);
      return look(...given);
    },
  });
  cluster.set(SOUND);
  return cluster;
}

export const SOUND = node({}, { metadata: { annotations: { sound: 'yes' } } });
/** A change on a cluster that brings its fault, and the event that tells of it. */
export function breakOne(cluster: SimulatedCluster): Fact {
  cluster.set(BROKEN);
  return { event: 'observed', cluster: cluster.id, mode: paintMode.id, because: 'changed', objects: [] };
}

const MINUTE = 60_000;

/** An hour of a fleet's life, by who caused the work. `ticks`: the clock, once for all clusters. */
export interface Hour {
  readonly idle: Work;
  readonly incidents: Work;
  readonly ticks: Work;
  begun: number;
}

export interface Day {
  readonly size: number;
  readonly hours: number;
  /** How many faults a cluster has in a day. */
  readonly faults: number;
  /** How often each watcher says that it is alive. */
  readonly beat: Duration;
  readonly again: Duration;
  readonly random: () => number;
  readonly file?: string;
}

/** Lives so many hours: watchers beat, faults come, somebody approves each of them, and each is mended. */
export async function lived({ size, hours, faults, beat, again, random, file }: Day): Promise<readonly Hour[]> {
  const zero = (): Work => ({ requests: 0, items: 0 });
  const life = Array.from(
    { length: hours },
    (): Hour => ({ idle: zero(), incidents: zero(), ticks: zero(), begun: 0 }),
  );
  let hour = life[0] ?? { idle: zero(), incidents: zero(), ticks: zero(), begun: 0 };
  const ill = new Set<string>();
  const payer = (event: Event): Work => {
    if (event.event === 'ticked') return hour.ticks;
    const isIdle = event.event === 'beat' || (event.event === 'observed' && !ill.has(event.cluster));
    return isIdle ? hour.idle : hour.incidents;
  };
  const it = await fleet({ size, again, payer, ...(file !== undefined && { file }) });
  const every = milliseconds(beat) / MINUTE;
  const chance = (faults * size) / (24 * 60);
  let owed = 0;
  for (let minute = 0; minute < hours * 60; minute++) {
    hour = life[Math.floor(minute / 60)] ?? hour;
    const facts = it.clusters.filter((_each, n) => n % every === minute % every).map(beatOf);
    // A steady rate: what an hour has is not left to chance, which cluster has it is.
    for (owed += chance; owed >= 1; owed -= 1) {
      const cluster = it.clusters[Math.floor(random() * size)];
      if (!cluster || ill.has(cluster.id)) continue;
      ill.add(cluster.id);
      hour.begun += 1;
      facts.push(breakOne(cluster));
    }
    await it.bus.publish([...facts.map((fact) => ({ fact })), tick(it.now())]);
    await settled(it, ill);
  }
  return life;
}

const tick = (now: number) => ({
  fact: { event: 'ticked' as const, since: new Date(now - MINUTE).toISOString() },
});
const beatOf = ({ id: cluster, name, flavour }: Cluster): Fact => ({
  ...{ event: 'beat', cluster, name, flavour, version: '1.0.0' },
});

/** Lets a minute pass: people approve what was proposed, and what is mended is well. */
async function settled(it: Fleet, ill: Set<string>): Promise<void> {
  for (let quarter = 0; quarter < 4; quarter++) {
    await it.bus.drain();
    for (const { fact } of it.told.splice(0)) await answer(it, fact, ill);
    it.advance(MINUTE / 4);
  }
}

async function answer({ store, bus }: Fleet, fact: Fact, ill: Set<string>): Promise<void> {
  if (fact.event !== 'proposed' && fact.event !== 'fixed') return;
  const item = (await store.get('proposal', fact.proposal))?.item;
  if (!item) throw new Error(`${fact.proposal} is not in the store`);
  if (fact.event === 'fixed') ill.delete(item.cluster);
  else {
    const { id, revision } = item;
    const click = {
      id: `click-${id}`,
      who: 'local:ann',
      choice: 'approve' as const,
      proposal: id,
      revision,
      plan: 'mend',
    };
    await bus.publish([{ fact: { event: 'clicked', click } }]);
  }
}

/** Several hours as one. */
export function sum(hours: readonly Hour[]): Hour {
  const add = (of: (hour: Hour) => Work): Work => ({
    requests: hours.reduce((all, hour) => all + of(hour).requests, 0),
    items: hours.reduce((all, hour) => all + of(hour).items, 0),
  });
  const begun = hours.reduce((all, hour) => all + hour.begun, 0);
  return {
    idle: add(({ idle }) => idle),
    incidents: add(({ incidents }) => incidents),
    ticks: add(({ ticks }) => ticks),
    begun,
  };
}
