import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import type { Drill, Hands } from '../drill.ts';
import type { JsonObject } from '../handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { Controller } from './actors/controller.ts';
import { daemonSets } from './actors/daemon-sets.ts';
import { deployments } from './actors/deployments.ts';
import { disruption } from './actors/disruption.ts';
import { endpoints } from './actors/endpoints.ts';
import { garbage } from './actors/garbage.ts';
import { kubelet } from './actors/kubelet.ts';
import { heartbeats, nodeLifecycle } from './actors/nodes.ts';
import { replicaSets } from './actors/replica-sets.ts';
import { scheduler } from './actors/scheduler.ts';
import { type ApiServer, apiServer } from './api/api-server.ts';
import { logKey } from './api/pods.ts';
import { HARVESTER_KUBERNETES, harvesterBase } from './base/harvester.ts';
import { RANCHER_KUBERNETES, rancherBase } from './base/rancher.ts';
import { chance, clusterId } from './chance.ts';
import { crdsOf } from './crds/index.ts';
import { httpHands } from './hands.ts';
import { type Listening, serveApi } from './http.ts';
import { withMetadata } from './json.ts';
import { remembered, restore } from './reset.ts';
import { actorTurn, controllerTurn, type Rounds, runActors } from './run-actors.ts';
import { serveVip, type Vip } from './vip.ts';

/** What a pretend cluster is made of. */
export interface PretendOptions {
  readonly flavour: 'harvester' | 'rancher';
  readonly name: string;
  /** The clock that the server, the actors and Gleaner share. */
  readonly clock: Clock;
  /** Those of the other flavour are left out. */
  readonly drills: readonly Drill[];
  /** Default: the definitions that the flavour serves. */
  readonly crds?: readonly JsonObject[];
  /** Where uids and generated names come from. Default: the cluster's name. */
  readonly seed?: string;
  /** Told when an actor's turn fails, which ends nothing. */
  readonly trouble?: (actor: string, error: unknown) => void;
}

/** A pretend Harvester or Rancher on loopback: an API server in memory, and everybody who acts on it. */
export interface PretendCluster {
  readonly name: string;
  readonly flavour: 'harvester' | 'rancher';
  readonly url: string;
  /** The bearer token of the cluster's admin. `URL/as/TOKEN` is an address for kubectl, which sends none over plain HTTP. */
  readonly token: string;
  /** The uid of the namespace kube-system: the same whenever a cluster of this name starts. */
  readonly id: string;
  readonly hands: Hands;
  readonly drills: readonly Drill[];
  /** A kubeconfig for the admin, as YAML text. */
  kubeconfig(): string;
  /** Breaks it in the way of one mode. Throws where no drill of this cluster is that mode's. */
  break(mode: string): Promise<void>;
  /** What comes by itself after a mode's fault is over, such as the end of an upgrade. */
  afterwards(mode: string): Promise<void>;
  /** Puts everything back to healthy; watches and connections go on. */
  reset(): Promise<void>;
  /** Forgets the history of changes, as etcd's compaction: older watches get 410. */
  compact(): void;
  stop(): Promise<void>;
}

/** How often everybody acts before a new cluster counts as settled, at most. */
const SETTLE_ROUNDS = 60;

/** Starts a healthy pretend cluster; resolves once its pods run. */
export async function startPretendCluster(options: PretendOptions): Promise<PretendCluster> {
  const { flavour, name, clock, seed = name, trouble = () => {} } = options;
  const drills = options.drills.filter(({ on }) => on === flavour);
  const ids = chance(`${flavour} ${seed}`);
  const version = flavour === 'harvester' ? HARVESTER_KUBERNETES : RANCHER_KUBERNETES;
  const calls = drills.flatMap((drill) => drill.calls ?? []);
  const api = apiServer({ clock, version, ...ids, calls, hands: () => hands });
  const vip = await serveVip();
  const hands = handsOn(api, clock, vip);
  const id = clusterId(flavour, name);
  const base = flavour === 'harvester' ? harvesterBase(`127.0.0.1:${vip.port}`) : rancherBase();
  // A drill's own version of an object goes before that of the base: `create` leaves alone what is there.
  const isNamespace = ({ kind }: JsonObject) => kind === 'Namespace';
  const parts = [
    options.crds ?? crdsOf[flavour],
    base.filter(isNamespace),
    drills.flatMap((drill) => drill.healthy),
    base,
  ];
  for (const object of parts.flat()) await hands.create(object);
  const system = api.store.get('/namespaces', 'kube-system');
  if (system) api.store.write('/namespaces', withMetadata(system, { uid: id }));
  const healthy = remembered(api.store);

  const turns = [
    ...controllers(api).map((controller) => controllerTurn(api, clock, controller)),
    ...drills.flatMap((drill) => drill.actors).map((actor) => actorTurn(actor, hands)),
  ];
  const rounds = runActors(clock, turns, trouble);
  await settle(api, rounds);
  const token = randomBytes(24).toString('hex');
  const server = await serveApi(api, clock, token);
  return {
    ...{ name, flavour, url: server.url, token, id, hands, drills },
    kubeconfig: () => kubeconfig(name, server.url, token),
    break: (mode) => drillOf(drills, mode, name).break(hands),
    afterwards: async (mode) => drillOf(drills, mode, name).afterwards?.(hands),
    async reset() {
      const resume = await rounds.pause();
      try {
        restore(api.store, healthy, clock.now(), ids.uid);
        api.logs.clear();
        vip.answers(true);
        await settle(api, rounds);
      } finally {
        resume();
      }
    },
    compact: () => api.store.compact(),
    stop: () => stopAll(rounds, server, vip),
  };
}

/** Pods come first from those who ask for them, then a node, then an agent; budgets and endpoints count what is there. */
const controllers = (api: ApiServer): readonly Controller[] => [
  garbage(api),
  ...[heartbeats, nodeLifecycle, deployments, replicaSets, daemonSets, scheduler, kubelet, disruption, endpoints],
];

function handsOn(api: ApiServer, clock: Clock, vip: Vip): Hands {
  return httpHands({
    now: () => clock.now(),
    send: (method, path, body, contentType) => api.answer({ method, path, body, contentType }),
    say: async (pod, container, lines, previous) => void api.logs.set(logKey(pod, container, previous), lines),
    vip: vip.answers,
  });
}

/** Rounds until one changes nothing. */
async function settle({ store }: ApiServer, rounds: Rounds): Promise<void> {
  for (let round = 0; round < SETTLE_ROUNDS; round++) {
    const before = store.revision();
    await rounds.once();
    if (store.revision() === before) return;
  }
}

function drillOf(drills: readonly Drill[], mode: string, cluster: string): Drill {
  const drill = drills.find((each) => each.mode === mode);
  if (drill) return drill;
  const known = drills.map((each) => each.mode).join(', ') || 'none';
  throw new Error(`no drill of cluster ${cluster} is called ${mode}: it has ${known}`);
}

function kubeconfig(name: string, server: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  });
}

async function stopAll(rounds: Rounds, ...servers: readonly Listening[]): Promise<void> {
  await rounds.stop();
  for (const server of servers) await server.stop();
}
