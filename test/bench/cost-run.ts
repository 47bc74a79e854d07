import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { processSeal } from '../../shared/adapters/seal/process.ts';
import { slackChat } from '../../shared/adapters/slack/chat.ts';
import type { SlackApi } from '../../shared/adapters/slack/web-api.ts';
import { notify } from '../../shared/flow/notify.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import { onePolicy, type World } from '../../shared/flow/world.ts';
import type { Event, Fact } from '../../shared/model.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Store } from '../../shared/ports/store.ts';
import { type AnyHop, HOPS, routed } from '../../shared/worlds/hops.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulator/cluster.ts';
import { paintMode } from '../simulator/mode.ts';
import { breakOne, SOUND } from '../simulator/scale.ts';
import { EVERYBODY, POLICY } from '../simulator/world.ts';
import { directSlack } from '../slack/sending/direct.ts';
import { draw } from '../slack/sending/records.ts';
import { delivered, meteredBus, meteredStore, nothing, times, type Usage } from './metered.ts';

const CHANNEL = 'C0OPS';
/** Of a hundred clusters, so many wait for a decision at any time. */
const WAITING = 0.02;
/** Lives of an incident; the first is not counted, for code that runs for the first time is compiled first. */
const LIVES = 5;

/** What was measured at one number of clusters, each an average of one such thing. */
export interface Measured {
  readonly clusters: number;
  /** From the change to the card's last state, by hop; what the clock does meanwhile is in `tick`. */
  readonly incident: ReadonlyMap<string, Usage>;
  readonly beat: Usage;
  /** A look at a cluster where nothing is wrong. */
  readonly look: Usage;
  /** The clock's minute, while some clusters wait for a decision. */
  readonly tick: Usage;
  /** Reading which clusters there are, as every warm function does now and then. */
  readonly registry: Usage;
}

/** Lives what is billed, over the real adapter of the store and the real sender to Slack. */
export async function measured(endpoint: string, size: number): Promise<Measured> {
  const it = await staged(endpoint, size);
  for (const cluster of it.clusters.slice(1, 1 + Math.floor(size * WAITING))) {
    await it.tell(breakOne(cluster));
    await it.settle(2, nothing);
  }
  const [cluster] = it.clusters;
  if (!cluster) throw new Error('there is no cluster');
  const incident = new Map<string, Usage>();
  for (let life = 0; life <= LIVES; life++) {
    const into = life === 0 ? new Map<string, Usage>() : incident;
    it.approves = true;
    await it.tell(breakOne(cluster));
    await it.settle(20, (hop) => billOf(into, hop));
    it.approves = false;
  }
  const { id, name, flavour } = cluster;
  const beat: Fact = { event: 'beat', cluster: id, name, flavour, version: '1.0.0' };
  const look: Fact = { event: 'observed', cluster: id, mode: paintMode.id, because: 'time to look again', objects: [] };
  const tick: Fact = { event: 'ticked', since: new Date(it.now().getTime() - 1).toISOString() };
  return {
    clusters: size,
    incident: new Map([...incident].map(([hop, all]) => [hop, times(all, 1 / LIVES)])),
    beat: await it.second('sweep', beat),
    look: await it.second('classify', look),
    tick: await it.second('sweep', tick),
    registry: await it.billed(async () => void (await it.store.list('cluster'))),
  };
}

function billOf(all: Map<string, Usage>, hop: string): Usage {
  const bill = all.get(hop) ?? nothing();
  all.set(hop, bill);
  return bill;
}

/** A stack's worth of clusters, and whoever is billed for what is done next. */
async function staged(endpoint: string, size: number) {
  const time = manualClock(systemClock.now().toISOString());
  const clock: Clock = { now: time.now, after: systemClock.after };
  let bill = nothing();
  const usage = () => bill;
  const store = await meteredStore(endpoint, clock, usage);
  const clusters = Array.from({ length: size }, (_each, n) => attended(n, clock, usage));
  await inTurns(clusters, ({ id, name, flavour, does }) => {
    const beatAt = clock.now().toISOString();
    return store.put('cluster', { schema: 1, id, name, flavour, does, registeredAt: beatAt, beatAt }, 0);
  });
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  const world: World = {
    ...{ clock, store, modes: [paintMode], known: byId, clusters: byId },
    ...{ rules: onePolicy(POLICY), directory: EVERYBODY, seal: processSeal, pace: '30d' },
  };
  const hops: Readonly<Record<string, AnyHop>> = { ...HOPS, notify: notifier(store, clock, usage) };
  const bus = meteredBus(store, clock.now, usage);

  async function run(hop: string, event: Event): Promise<void> {
    await delivered(bill, async () => bus.publish((await hops[hop]?.(world, event)) ?? []));
  }

  async function billed(act: () => Promise<void>): Promise<Usage> {
    const former = bill;
    bill = nothing();
    await act();
    const mine = bill;
    bill = former;
    return mine;
  }

  const it = {
    ...{ store, clusters, billed, now: clock.now, tell: bus.tell },
    /** Whether somebody approves what is proposed. */
    approves: false,
    /** What the second of two such deliveries takes: the first one sees what is new. */
    async second(hop: string, fact: Fact): Promise<Usage> {
      const again = async () => {
        time.advance(1);
        await run(hop, { ...fact, id: 'again', at: clock.now().toISOString() });
      };
      await billed(again);
      return billed(again);
    },
    /** Delivers what is due in so many minutes; `payer` says who is billed for a hop. */
    async settle(minutes: number, payer: (hop: string) => Usage): Promise<void> {
      const end = clock.now().getTime() + minutes * 60_000;
      for (let next = bus.take(end); next; next = bus.take(end)) {
        time.advance(Math.max(0, next.due - clock.now().getTime()));
        bill = payer(next.hop);
        await run(next.hop, next.event);
        if (it.approves && next.hop === 'notify' && next.event.event === 'proposed') await approve(next.event.proposal);
      }
      time.advance(Math.max(0, end - clock.now().getTime()));
      bill = nothing();
    },
  };
  async function approve(proposal: string): Promise<void> {
    const revision = (await store.get('proposal', proposal))?.item.revision ?? '';
    const click = { id: `click ${proposal}`, who: 'local:ann', choice: 'approve', proposal, revision } as const;
    await bus.tell({ event: 'clicked', click: { ...click, plan: 'mend' } });
  }
  return it;
}

/** What bills each request to whom it is for. */
const billing =
  <Given extends unknown[], T>(bill: () => void, act: (...given: Given) => T) =>
  (...given: Given): T => {
    bill();
    return act(...given);
  };

/** A cluster whose API server is billed for each request. */
function attended(n: number, clock: Clock, usage: () => Usage): SimulatedCluster {
  const cluster = simulatedCluster(clock.now);
  const bill = () => {
    usage().clusterRequests += 1;
  };
  const { look, read, dryRun, touch } = cluster;
  Object.assign(cluster, {
    id: `cluster-${n}`,
    name: `site ${n}`,
    look: billing(bill, look),
    read: billing(bill, read),
  });
  Object.assign(cluster, { dryRun: billing(bill, dryRun), touch: billing(bill, touch) });
  cluster.set(SOUND);
  return cluster;
}

function notifier(store: Store, clock: Clock, usage: () => Usage): AnyHop {
  const slack = directSlack(clock.now);
  const api: SlackApi = {
    call(method, args, answer) {
      usage().slackRequests += 1;
      return slack.call(method, args, answer);
    },
  };
  const chat = slackChat({
    ...{ api, store, clock, records: clock, draw, clusterName: (id: string) => id },
    ...{ channelOf: () => CHANNEL, newsChannel: () => CHANNEL, directory: EVERYBODY, warn: () => {} },
    board: { clusters: async () => [], cards: async () => [] },
  });
  return routed(ROUTES.notify, notify(chat));
}

async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += 20) await Promise.all(all.slice(from, from + 20).map(act));
}
