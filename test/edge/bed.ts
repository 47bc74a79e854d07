import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { eventBridgeBus } from '../../shared/adapters/eventbridge/bus.ts';
import { publicKey, verifiesBy } from '../../shared/adapters/seal/public-key.ts';
import { sqsDelays } from '../../shared/adapters/sqs/delays.ts';
import { sqsInbox } from '../../shared/adapters/sqs/inbox.ts';
import { incidentId } from '../../shared/flow/identity.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import type { World } from '../../shared/flow/world.ts';
import type { Fact, Registered } from '../../shared/model.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { lambdaHop } from '../../shared/runtime/lambda.ts';
import { lambdaLog } from '../../shared/runtime/lambda-log.ts';
import { relay } from '../../shared/runtime/relay/relay.ts';
import { edge } from '../../shared/worlds/edge.ts';
import { EDGE_HOPS, homes } from '../../shared/worlds/edge-routing.ts';
import { HOPS } from '../../shared/worlds/hops.ts';
import { fakeBus } from '../aws/events/fake-bus.ts';
import { poll } from '../aws/events/poller.ts';
import { paintMode } from '../simulator/mode.ts';
import { paintWorld } from '../simulator/paint.ts';
import { memoryLease, signer } from './sealed.ts';

const CLUSTER = 'cluster-1';
export const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const OTHER_KEY = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const START = '2026-01-15T12:00:00.000Z';
const IN_CLOUD = ['propose', 'decide'] as const;
const TAKEN_AT_EDGE = EDGE_HOPS.flatMap((hop) => ROUTES[hop]);

const registered = (id: string, reach: 'direct' | 'edge'): Registered => ({
  ...{ schema: 1, id, name: id, flavour: 'harvester', does: 'apply', registeredAt: START, reach },
});

/** A clock whose waits of the runtime are over at once; a test moves its time. */
function impatient(now: () => Date): Clock {
  return {
    now,
    after(ms, then) {
      // What keeps a delivery hidden is for hops that take long: here none does.
      if (ms < 10_000) queueMicrotask(then);
      return () => {};
    },
  };
}

/** The cloud's half (store, bus, relay) and a cluster's edge, joined by loopback ports alone. */
export async function edgeBed(reach: 'direct' | 'edge' = 'edge') {
  const clock = manualClock(START);
  const { now } = clock;
  const { cluster, store, world: painted } = paintWorld();
  const [key, lease, lines] = [signer(), memoryLease(), [] as string[]];
  const log = lambdaLog(now, (line) => void lines.push(line));
  const direct = { source: ['gleaner'], detail: { schema: [1] }, 'detail-type': TAKEN_AT_EDGE };
  const fake = await fakeBus({
    ...{ bus: 'gleaner', now },
    rules: {
      ...Object.fromEntries(
        IN_CLOUD.map((hop) => [hop, { source: ['gleaner'], 'detail-type': [...ROUTES[hop]], detail: { schema: [1] } }]),
      ),
      // The rule of a function that reaches clusters itself: what goes to an edge is none of its business.
      direct: { ...direct, detail: { schema: [1], reach: [{ 'anything-but': ['edge'] }] } },
      [`edge-${CLUSTER}`]: { source: ['nobody'] },
    },
  });
  await store.put('cluster', registered(CLUSTER, reach), 0);
  await store.put('cluster', registered('cluster-2', 'edge'), 0);
  const steady = impatient(now);
  const delays = sqsDelays({
    ...{ client: fake.sqs, clock: steady },
    queueOf: (hop, event) => {
      const { reach: at, cluster: of } = Object(event);
      return fake.url(at === 'edge' && EDGE_HOPS.some((one) => one === hop) ? `edge-${of}` : hop);
    },
  });
  const rows = async () => new Map((await store.list('cluster')).map(({ item }) => [item.id, item]));
  const bus = eventBridgeBus({
    ...{ client: fake.events, bus: 'gleaner', clock: steady, routes: ROUTES, delays },
    ...{ homeOf: homes(store, rows), atEdge: EDGE_HOPS },
  });
  const seal = { sign: key.sign, verify: verifiesBy([publicKey(key.pem)]), notes: undefined };
  const cloud: World = { ...painted, clock: { now }, clusters: new Map(), seal };
  const functions = IN_CLOUD.map((hop) => {
    const takes = [...ROUTES[hop]];
    const inbox = sqsInbox({
      ...{
        client: fake.sqs,
        clock: steady,
        hop,
        takes,
        delays,
        queue: fake.url(hop),
        deadLetters: fake.url(`${hop}-dead`),
      },
    });
    return [
      hop,
      lambdaHop({ hop, log, open: async () => ({ inbox, bus, run: (event) => HOPS[hop](cloud, event) }) }),
    ] as const;
  });

  const app = relay({
    log,
    open: async () => ({
      ...{ clock: { now }, store, bus, incidentId },
      keys: async (id) => ({ [CLUSTER]: [KEY], 'cluster-2': [OTHER_KEY] })[id],
      session: async (id) => ({
        ...{ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', region: 'eu-central-1' },
        expiration: new Date(now().getTime() + 3_600_000).toISOString(),
        ...{ queue: fake.url(`edge-${id}`), deadLetters: fake.url(`edge-${id}-dead`) },
      }),
    }),
  });
  const server = createServer((request, response) => {
    // The manual clock's time is the service's: an edge learns it from this header.
    response.setHeader('date', now().toUTCString());
    void getRequestListener(app.fetch)(request, response);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = Object(server.address());
  const url = `http://127.0.0.1:${port}`;
  const parts = {
    ...{ cluster, modes: [paintMode], runs: lease, relay: url, decisions: [key.der], machine: steady, log },
    keys: async () => [KEY],
    sqs: { endpoint: new URL(fake.url('x')).origin },
  };
  const queue = fake.queue(`edge-${CLUSTER}`);
  const isWaiting = () => queue.peek().some(({ visibleAt }) => visibleAt <= now().getTime());

  const looks = () => fake.requests.filter(({ action }) => action === 'ReceiveMessage').length;

  /** Lets an edge work until it has looked in vain; it is another process each time. */
  async function work(): Promise<boolean> {
    if (!isWaiting()) return false;
    const ending = new AbortController();
    const running = edge(parts).run(ending.signal);
    // The look that took the last message, and one more: it is done with what it took.
    for (let from = looks(), turns = 0; looks() < from + 2; turns++) {
      if (isWaiting()) from = looks();
      if (turns > 100_000) throw new Error(`the edge does not end: ${lines.join('\n')}`);
      await new Promise((done) => setImmediate(done));
    }
    ending.abort();
    await running;
    return true;
  }

  return {
    ...{ clock, cluster, store, fake, lease, key, url, lines, bus, parts, queue },
    tell: (...facts: readonly Fact[]) => bus.publish(facts.map((fact) => ({ fact }))),
    /** Everything that is due now, here and there. */
    async settle(seconds = 0) {
      for (let passed = 0; passed <= seconds; passed += 5) {
        for (let busy = true; busy; ) {
          busy = await work();
          for (const [hop, handler] of functions) busy = (await poll(fake, hop, handler)) || busy;
        }
        clock.advance(5_000);
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await fake.close();
    },
  };
}
export type EdgeBed = Awaited<ReturnType<typeof edgeBed>>;
