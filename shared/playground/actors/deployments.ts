import { createHash } from 'node:crypto';
import type { JsonObject } from '../../handler.ts';
import { stamp } from '../api/writes.ts';
import { at, numberAt, objectAt, same, textAt } from '../json.ts';
import {
  type Controller,
  type Floor,
  generation,
  isGoing,
  labels,
  MERGE,
  name,
  namespace,
  pathOf,
  report,
  uid,
} from './controller.ts';
import { controllerUid, ownedBy, withCondition } from './pod-facts.ts';

/** Keeps a ReplicaSet for each Deployment's template and moves the pods over as its strategy allows. */
export const deployments: Controller = {
  name: 'deployments',
  plays: 'kube-controller-manager: kubernetes pkg/controller/deployment, rolling.go and recreate.go',
  reads: ['apps/deployments', 'apps/replicasets'],
  async act(floor) {
    const sets = Map.groupBy(floor.list('apps/replicasets'), controllerUid);
    for (const deployment of floor.list('apps/deployments')) {
      if (!isGoing(deployment)) await sync(floor, deployment, sets.get(uid(deployment)) ?? []);
    }
  },
};

const asked = (set: JsonObject) => numberAt(set, 'spec', 'replicas') ?? 0;
const available = (set: JsonObject) => numberAt(set, 'status', 'availableReplicas') ?? 0;
const present = (set: JsonObject) => numberAt(set, 'status', 'replicas') ?? 0;
const sum = (sets: readonly JsonObject[], of: (set: JsonObject) => number) =>
  sets.reduce((all, set) => all + of(set), 0);

/** The letters of generated names (k8s.io/apimachinery util/rand, SafeEncodeString). */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a pod template: the same for the same template. */
export function templateHash(template: JsonObject): string {
  const digest = createHash('sha256').update(JSON.stringify(template)).digest();
  return [...digest.subarray(0, 10)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

async function sync(floor: Floor, deployment: JsonObject, sets: readonly JsonObject[]): Promise<void> {
  const template = objectAt(deployment, 'spec', 'template');
  const current = sets.find((set) => same(withoutHash(objectAt(set, 'spec', 'template')), template));
  if (!current) return createSet(floor, deployment, template, sets);
  const old = sets.filter((set) => set !== current && (asked(set) > 0 || present(set) > 0));
  const recreates = textAt(deployment, 'spec', 'strategy', 'type') === 'Recreate';
  const scale = recreates ? recreated(deployment, current, old) : rolled(deployment, current, old);
  for (const [set, replicas] of scale) {
    if (asked(set) !== replicas)
      await floor.send('PATCH', pathOf('apps/v1', 'replicasets', set), { spec: { replicas } }, MERGE);
  }
  await tell(floor, deployment, current, [current, ...old]);
  await forget(
    floor,
    deployment,
    sets.filter((set) => set !== current && !old.includes(set)),
  );
}

function withoutHash(template: JsonObject): JsonObject {
  const { 'pod-template-hash': _, ...rest } = labels(template);
  return { ...template, metadata: { ...objectAt(template, 'metadata'), labels: rest } };
}

async function createSet(
  floor: Floor,
  deployment: JsonObject,
  template: JsonObject,
  sets: readonly JsonObject[],
): Promise<void> {
  const hash = { 'pod-template-hash': templateHash(template) };
  const selector = { ...objectAt(deployment, 'spec', 'selector') };
  const matchLabels = { ...objectAt(selector, 'matchLabels'), ...hash };
  const replicas = numberAt(deployment, 'spec', 'replicas') ?? 1;
  await floor.send('POST', `/apis/apps/v1/namespaces/${namespace(deployment)}/replicasets`, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name(deployment)}-${hash['pod-template-hash']}`,
      labels: { ...labels(template), ...hash },
      ownerReferences: [ownedBy(deployment, 'apps/v1', 'Deployment')],
    },
    spec: {
      replicas: sets.length === 0 ? replicas : 0,
      selector: { ...selector, matchLabels },
      template: {
        ...template,
        metadata: { ...objectAt(template, 'metadata'), labels: { ...labels(template), ...hash } },
      },
    },
  });
}

type Scale = readonly (readonly [set: JsonObject, replicas: number])[];

/** All old pods go before the first new one comes. */
function recreated(deployment: JsonObject, current: JsonObject, old: readonly JsonObject[]): Scale {
  const gone = old.length === 0;
  return [
    ...old.map((set) => [set, 0] as const),
    [current, gone ? (numberAt(deployment, 'spec', 'replicas') ?? 1) : 0],
  ];
}

/** New pods up to the surge, old ones down to what must stay available; old ones that are not available go first. */
function rolled(deployment: JsonObject, current: JsonObject, old: readonly JsonObject[]): Scale {
  const replicas = numberAt(deployment, 'spec', 'replicas') ?? 1;
  const share = (field: string) => at(deployment, 'spec', 'strategy', 'rollingUpdate', field) ?? '25%';
  const surge = amount(share('maxSurge'), replicas, Math.ceil);
  const missing = amount(share('maxUnavailable'), replicas, Math.floor);
  // Both zero would never move anything (pkg/controller/deployment/util, ResolveFenceposts).
  const atLeast = replicas - (surge === 0 && missing === 0 ? 1 : missing);
  const room = replicas + surge - sum([current, ...old], asked);
  const grown = old.length === 0 ? replicas : Math.min(replicas, Math.max(asked(current), asked(current) + room));
  let spare = sum([current, ...old], asked) - atLeast - Math.max(0, asked(current) - available(current));
  const left = new Map(old.map((set) => [set, asked(set)]));
  const shrink = (set: JsonObject, by: number) => {
    const taken = Math.max(0, Math.min(by, spare, left.get(set) ?? 0));
    left.set(set, (left.get(set) ?? 0) - taken);
    spare -= taken;
  };
  for (const set of old) shrink(set, asked(set) - available(set));
  spare = Math.min(spare, sum([current, ...old], available) - atLeast);
  for (const set of old) shrink(set, asked(set));
  return [...left, [current, grown]];
}

function amount(share: unknown, of: number, round: (value: number) => number): number {
  if (typeof share === 'number') return share;
  return round((Number.parseFloat(String(share)) / 100) * of);
}

async function tell(
  floor: Floor,
  deployment: JsonObject,
  current: JsonObject,
  sets: readonly JsonObject[],
): Promise<void> {
  const replicas = numberAt(deployment, 'spec', 'replicas') ?? 1;
  const [total, ready] = [sum(sets, present), sum(sets, available)];
  const share = at(deployment, 'spec', 'strategy', 'rollingUpdate', 'maxUnavailable') ?? 0;
  const enough = ready >= replicas - amount(share, replicas, Math.floor);
  const done = present(current) === replicas && total === replicas && ready === replicas;
  const now = stamp(floor.now());
  const availability = {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
  };
  const progress = {
    type: 'Progressing',
    status: 'True',
    reason: done ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
  };
  const conditions = withCondition(
    { status: { conditions: withCondition(deployment, availability, now) } },
    progress,
    now,
  );
  await report(floor, pathOf('apps/v1', 'deployments', deployment), deployment, {
    observedGeneration: generation(deployment),
    replicas: total,
    updatedReplicas: present(current),
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, replicas - ready),
    conditions,
  });
}

/** Old ReplicaSets beyond the history that the Deployment keeps go. */
async function forget(floor: Floor, deployment: JsonObject, over: readonly JsonObject[]): Promise<void> {
  const kept = numberAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10;
  const byAge = over.toSorted(
    (a, b) => Number(textAt(a, 'metadata', 'resourceVersion')) - Number(textAt(b, 'metadata', 'resourceVersion')),
  );
  for (const set of byAge.slice(0, Math.max(0, over.length - kept)))
    await floor.send('DELETE', pathOf('apps/v1', 'replicasets', set));
}
