import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Drill, Hands } from '../../../shared/drill.ts';
import { type Json, type JsonObject, JsonValue } from '../../../shared/handler.ts';
import { harvesterBase } from '../../../shared/playground/base/harvester.ts';
import { rancherBase } from '../../../shared/playground/base/rancher.ts';
import { crdsOf } from '../../../shared/playground/crds/index.ts';
import { httpHands } from '../../../shared/playground/hands.ts';
import { objectAt, textAt } from '../../../shared/playground/json.ts';
import { serveVip } from '../../../shared/playground/vip.ts';
import { serveSubresources } from '../bed/aggregated.ts';
import { type NodeAgent, startNodeAgent } from '../bed/node-agent.ts';
import type { FakeNode } from '../bed/node-objects.ts';
import { type Bed, type BedOptions, startBed } from '../bed/start-bed.ts';
import { until } from '../bed/until.ts';
import { type ShiftedClock, shiftedClock } from './shifted-clock.ts';

type Flavour = Drill['on'];

/** The address of the virtual IP, as the objects have it: nobody holds it here. */
const VIP = '192.168.5.5';
/** How often every actor has its turn. */
const TURN = 200;

/** A real control plane with what a Harvester or a Rancher has on it, and the actors of one drill or more. */
export interface FurnishedBed {
  readonly bed: Bed;
  readonly flavour: Flavour;
  /** The clock of the actors, the nodes' agents and Gleaner; that of the control plane is the machine's. */
  readonly clock: ShiftedClock;
  readonly hands: Hands;
  readonly agent: NodeAgent;
  /** The address behind which the virtual IP answers, as far as `hands.vip` lets it. */
  readonly vip: string;
  /** What actors threw, by their name; a turn that throws comes again. */
  readonly stumbles: readonly string[];
  /** Nobody plays upstream's controllers any more, until called again with false. */
  pause(isPaused: boolean): void;
}

export interface Furniture extends BedOptions {
  /** What stands ready beside the base, of one flavour: objects, actors and calls. */
  readonly drills: readonly Drill[];
}

/** Starts a bed with the base objects and the healthy objects of the drills, and waits until every pod runs. */
export async function furnishBed({ drills, ...options }: Furniture): Promise<FurnishedBed> {
  const flavour = drills[0]?.on ?? 'harvester';
  const clock = shiftedClock();
  const bed = await startBed({ controllers: CONTROLLERS, ...options });
  try {
    await bed.installCrds({ files: crdFiles(flavour) });
    return await furnish(bed, flavour, clock, drills);
  } catch (failure) {
    await bed.stop();
    throw failure;
  }
}

/** Those of a bed, and the ones that fill a Service's endpoints. */
const CONTROLLERS = ['deployment', 'replicaset', 'disruption', 'garbage-collector', 'namespace', 'job', 'daemonset']
  .concat('endpoints', 'endpointslice')
  .map((name) => `${name}-controller`);

/** The definitions of the groups that the flavour serves. */
function crdFiles(flavour: Flavour): string[] {
  const groups = new Set(crdsOf[flavour].map((crd) => textAt(crd, 'spec', 'group')));
  const files = globSync(join(import.meta.dirname, '..', 'crds', '*.yaml')).sort();
  return files.filter((file) => groups.has(basename(file, '.yaml')));
}

async function furnish(
  bed: Bed,
  flavour: Flavour,
  clock: ShiftedClock,
  wanted: readonly Drill[],
): Promise<FurnishedBed> {
  const vip = await serveVip();
  bed.onStop(() => vip.stop());
  const base = flavour === 'harvester' ? harvesterBase(VIP) : rancherBase();
  const agent = await startNodeAgent(bed, base.filter(isNode).map(fakeNode), () => clock.now());
  const hands = handsOn(bed, agent, clock, vip.answers);
  // A drill's own version of an object goes before that of the base: `create` leaves alone what is there.
  const isNamespace = ({ kind }: JsonObject) => kind === 'Namespace';
  const parts = [base.filter(isNamespace), wanted.flatMap(({ healthy }) => healthy), base];
  for (const object of parts.flat()) if (!isNode(object)) await hands.create(object);
  await serveCalls(bed, hands, wanted);
  const acting = act(
    bed,
    wanted.flatMap(({ actors }) => actors),
    hands,
  );
  await until('every pod runs', async () => everyPodRuns(await hands.list({ apiVersion: 'v1', kind: 'Pod' })));
  return { bed, flavour, clock, hands, agent, vip: `http://127.0.0.1:${vip.port}`, ...acting };
}

const isNode = ({ kind }: JsonObject) => kind === 'Node';

/** A node whose agent listens on loopback: its address is not that of the base. */
const fakeNode = (node: JsonObject): FakeNode => ({
  name: textAt(node, 'metadata', 'name') ?? '',
  labels: strings(objectAt(node, 'metadata', 'labels')),
  annotations: strings(objectAt(node, 'metadata', 'annotations')),
  nodeInfo: objectAt(node, 'status', 'nodeInfo'),
});

const strings = (object: JsonObject) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, String(value)]));

export const handsOn = (bed: Bed, agent: NodeAgent, clock: ShiftedClock, vip: (answers: boolean) => void): Hands =>
  httpHands({
    vip,
    now: () => clock.now(),
    async send(method, path, body, contentType) {
      const said = await bed.request(
        method,
        path,
        body,
        contentType === undefined ? {} : { 'Content-Type': contentType },
      );
      const json = JsonValue.safeParse(said.body);
      return { code: said.code, body: json.success ? json.data : String(said.body) };
    },
    async say({ namespace, name }, container, lines, previous = false) {
      const key = `${namespace}/${name}/${container}`;
      const before = agent.logs.get(key);
      const current = previous ? (before?.current ?? []) : lines;
      const last = previous ? lines : before?.previous;
      agent.logs.set(key, { current, ...(last && { previous: last }) });
    },
  });

/** Virtual machines' subresources, as the drills' virt-api answers them; registered only where a drill has some. */
async function serveCalls(bed: Bed, hands: Hands, wanted: readonly Drill[]): Promise<void> {
  const calls = wanted.flatMap((drill) => drill.calls ?? []);
  if (calls.length === 0) return;
  await serveSubresources(bed, async ({ namespace, name, verb, body }) => {
    const call = calls.find(({ resource }) => resource === `virtualmachines/${verb}`);
    const json: Json = JsonValue.catch({}).parse(body);
    return call
      ? call.answer(hands, { namespace, name }, Object(json))
      : { code: 404, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 } };
  });
}

/** Gives each actor its turn, again and again until the bed stops. */
export function act(bed: Bed, actors: readonly Actor[], hands: Hands): Pick<FurnishedBed, 'stumbles' | 'pause'> {
  const over = new AbortController();
  const stumbles: string[] = [];
  let isPaused = false;
  const turns = async () => {
    while (!over.signal.aborted) {
      for (const actor of isPaused ? [] : actors) {
        await actor.act(hands).catch((error: unknown) => void stumbles.push(`${actor.name}: ${error}`));
      }
      await pause(TURN, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  const acting = turns();
  bed.onStop(async () => {
    over.abort();
    await acting;
  });
  return {
    stumbles,
    pause(next) {
      isPaused = next;
    },
  };
}

function everyPodRuns(pods: readonly JsonObject[]): true | undefined {
  const waiting = pods
    .filter((pod) => textAt(pod, 'status', 'phase') !== 'Running')
    .map((pod) => textAt(pod, 'metadata', 'name'));
  if (waiting.length > 0) throw new Error(`not running: ${waiting.join(', ')}`);
  return pods.length > 0 || undefined;
}
