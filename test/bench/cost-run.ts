import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { processSeal } from '../../shared/adapters/seal/process.ts';
import { slackChat } from '../../shared/adapters/slack/chat.ts';
import { notify } from '../../shared/flow/notify.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import { sweep } from '../../shared/flow/sweep.ts';
import { onePolicy, type World } from '../../shared/flow/world.ts';
import type { Event, Fact } from '../../shared/model.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import type { Store } from '../../shared/ports/store.ts';
import { type AnyHop, HOPS, routed } from '../../shared/worlds/hops.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulator/cluster.ts';
import { paintMode } from '../simulator/mode.ts';
import { node } from '../simulator/paint.ts';
import { breakOne } from '../simulator/scale.ts';
import { EVERYBODY, POLICY } from '../simulator/world.ts';
import { directSlack } from '../slack/sending/direct.ts';
import { draw } from '../slack/sending/records.ts';
import { add, delivered, machineNow, meteredBus, meteredStore, nothing, type Usage } from './metered.ts';

const CHANNEL = 'C0OPS';
const MINUTE = 60_000;

/** What was measured, at one number of clusters: each is an average. */
export interface Measured {
  readonly clusters: number;
  /** From the change to the card's last state, without ticks, by hop. */
  readonly incident: ReadonlyMap<string, Usage>;
  readonly beat: Usage;
  /** A look at a cluster where nothing is wrong. */
  readonly look: Usage;
  /** The clock's minute, with a share of the clusters waiting for a decision. */
  readonly tick: Usage;
  /** Reading which clusters there are: every warm function does, now and then. */
  readonly registry: Usage;
}

/** Of a hundred clusters, so many wait for a decision at any time. */
const WAITING = 0.02;

/** Lives what is billed: incidents, heartbeats, looks and ticks, on the real store's adapter. */
export async function measured(endpoint: string, size: number, lives: number): Promise<Measured> {
  const clock = manualClock(machineNow().toISOString());
  const account = { usage: nothing() };
  const usage = () => account.usage;
  const store = await meteredStore(endpoint, clock, usage);
  const clusters = Array.from({ length: size }, (_each, n) => counted(n, clock.now, usage));
  await inTurns(clusters, ({ id, name, flavour, does }) =>
    store.put('cluster', { schema: 1, id, name, flavour, does, registeredAt: clock.now().toISOString() }, 0),
  );
  const it = stage(store, clusters, clock, usage);

  const among = <T>(act: (into: Usage) => Promise<T>) => billed(account, act);
  for (const cluster of clusters.slice(0, Math.floor(size * WAITING))) {
    await it.tell(breakOne(cluster));
    await it.run(2, () => account, false);
  }
  const incident = new Map<string, Usage>();
  for (let life = -1; life < lives; life++) {
    const cluster = clusters.at(-1);
    if (!cluster) throw new Error('there is no cluster');
    await it.tell(breakOne(cluster));
    // The first one is not counted: code that runs for the first time is compiled first.
    await it.run(20, (hop) => (life < 0 ? account : { usage: ofHop(incident, hop) }), true);
  }
  const [one] = clusters.slice(-1);
  if (!one) throw new Error('there is no cluster');
  const { id: cluster, name, flavour } = one;
  const beat: Fact = { event: 'beat', cluster, name, flavour, version: '1.0.0' };
  const look: Fact = { event: 'observed', cluster, mode: paintMode.id, because: 'time to look again', objects: [] };
  return {
    clusters: size,
    incident: new Map([...incident].map(([hop, all]) => [hop, scaled(all, 1 / lives)])),
    beat: await among((into) => it.once('sweep', beat, into)),
    look: await among((into) => it.once('classify', look, into)),
    tick: await among((into) => it.tick(into)),
    registry: await among(async () => void (await store.list('cluster'))),
  };
}

const scaled = (of: Usage, by: number): Usage => {
  const product = nothing();
  for (const [key, value] of Object.entries(of)) Object.assign(product, { [key]: value * by });
  return product;
};
const ofHop = (all: Map<string, Usage>, hop: string): Usage => {
  const found = all.get(hop) ?? nothing();
  all.set(hop, found);
  return found;
};

async function billed(account: { usage: Usage }, act: (into: Usage) => Promise<unknown>): Promise<Usage> {
  await act(nothing());
  const [former, into] = [account.usage, nothing()];
  account.usage = into;
  await act(into);
  account.usage = former;
  return into;
}

async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += 20) await Promise.all(all.slice(from, from + 20).map(act));
}
