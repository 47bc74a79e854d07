import { randomUUID } from 'node:crypto';
import { processSeal } from '../../shared/adapters/seal/process.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import { onePolicy, type Policy, type World } from '../../shared/flow/world.ts';
import type { Mode } from '../../shared/handler.ts';
import {
  type Click,
  type Event,
  type Fact,
  isRunning,
  type Outgoing,
  type Principal,
  type Proposal,
} from '../../shared/model.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import type { Directory } from '../../shared/ports/directory.ts';
import type { Seal } from '../../shared/ports/seal.ts';
import type { Store } from '../../shared/ports/store.ts';
import { HOPS } from '../../shared/worlds/hops.ts';

/** The shipped defaults of a small team: one of two named people, no reason, a day. */
export const POLICY: Policy = {
  approvers: ['local:ann', 'local:bob'],
  quorum: 1,
  requesterMayApprove: true,
  reasonRequired: false,
  expiry: '24h',
  remind: '4h',
};

/** A workplace in which everybody is somebody, and no groups are kept. */
export const EVERYBODY: Directory = {
  isMember: async () => ({ is: 'yes' }),
  belongs: async (_who, group) => ({ is: 'no', because: `${group} is not kept here` }),
  fresh: () => EVERYBODY,
};

/** How often a process tells the clock. */
const TICK = 15_000;

/** A world that a test drives by hand: its clock, its deliveries and their order. */
export interface Driven {
  readonly world: World;
  readonly store: Store;
  now(): Date;
  advance(ms: number): void;
  /** Everything published, in order. */
  readonly facts: Fact[];
  publish(...outgoing: readonly Outgoing[]): void;
  click(click: Partial<Click> & Pick<Click, 'choice'>): string;
  /** How many deliveries are due now. */
  due(): number;
  /** Delivers one that is due; a throw keeps it for later. Answers the error, if there was one. */
  deliver(pick?: (count: number) => number, duplicate?: boolean): Promise<unknown>;
  /** Lets time pass, at first as much as between two ticks of a process, and tells the sweep. */
  tick(ms?: number): void;
  /** Delivers and lets time pass until nothing is left and no run waits, or `minutes` of the world's time are over. */
  settle(minutes: number): Promise<void>;
  proposals(): Promise<readonly Proposal[]>;
}

export function drivenWorld(options: {
  mode: Mode;
  cluster: (now: () => Date) => Cluster;
  store: Store;
  policy?: Policy;
  people?: Readonly<Record<string, readonly Principal[]>>;
  directory?: Directory;
  seal?: Seal;
}): Driven {
  let time = Date.parse('2026-01-15T12:00:00Z');
  const now = () => new Date(time);
  const cluster = options.cluster(now);
  const queue: { hop: keyof typeof HOPS; event: Event; due: number }[] = [];
  const facts: Fact[] = [];
  const clusters = new Map([[cluster.id, cluster]]);
  const world: World = {
    clock: { now },
    store: options.store,
    modes: [options.mode],
    known: clusters,
    clusters,
    rules: onePolicy(options.policy ?? POLICY, options.people),
    directory: options.directory ?? EVERYBODY,
    seal: options.seal ?? processSeal,
  };

  function publish(...outgoing: readonly Outgoing[]) {
    for (const { fact, after = 0 } of outgoing) {
      facts.push(fact);
      const event: Event = { ...fact, id: randomUUID(), at: now().toISOString() };
      for (const [hop, takes] of Object.entries(ROUTES)) {
        if (!takes.some((name) => name === fact.event)) continue;
        if (isHop(hop)) queue.push({ hop, event, due: time + after });
      }
    }
  }
  const isHop = (name: string): name is keyof typeof HOPS => name in HOPS;
  const dueNow = () => queue.filter(({ due }) => due <= time);

  const driven: Driven = {
    world,
    store: options.store,
    now,
    facts,
    publish,
    advance(ms) {
      time += ms;
    },
    click(click) {
      const id = randomUUID();
      publish({ fact: { event: 'clicked', click: { id, who: 'local:ann', ...click } } });
      return id;
    },
    due: () => dueNow().length,
    async deliver(pick = () => 0, duplicate = false) {
      const due = dueNow();
      const delivery = due[pick(due.length)];
      if (!delivery) return undefined;
      if (!duplicate) queue.splice(queue.indexOf(delivery), 1);
      try {
        publish(...(await HOPS[delivery.hop](world, delivery.event)));
        return undefined;
      } catch (error) {
        if (!duplicate) queue.push({ ...delivery, due: time + 5_000 });
        return error;
      }
    },
    async settle(minutes) {
      const end = time + minutes * 60_000;
      while (time <= end) {
        while (driven.due() > 0) await driven.deliver();
        const next = Math.min(...queue.map(({ due }) => due));
        if (Number.isFinite(next)) time = Math.max(time + 1, next);
        else if ((await driven.proposals()).some(({ state }) => isRunning(state))) driven.tick();
        else return;
      }
    },
    tick(ms = TICK) {
      const since = now().toISOString();
      time += ms;
      publish({ fact: { event: 'ticked', since } });
    },
    async proposals() {
      return (await options.store.list('proposal')).map(({ item }) => item);
    },
  };
  return driven;
}
