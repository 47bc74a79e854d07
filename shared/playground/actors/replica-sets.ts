import type { JsonObject } from '../../handler.ts';
import { numberAt, objectAt } from '../json.ts';
import {
  type Controller,
  type Floor,
  generation,
  isGoing,
  labels,
  name,
  namespace,
  pathOf,
  report,
  uid,
} from './controller.ts';
import { controllerUid, isActive, isReady, nodeOf, ownedBy } from './pod-facts.ts';

/** Keeps as many pods as each ReplicaSet asks for. */
export const replicaSets: Controller = {
  name: 'replica sets',
  plays: 'kube-controller-manager: kubernetes pkg/controller/replicaset',
  reads: ['apps/replicasets', '/pods'],
  async act(floor) {
    const pods = Map.groupBy(floor.list('/pods'), controllerUid);
    for (const set of floor.list('apps/replicasets'))
      if (!isGoing(set)) await sync(floor, set, pods.get(uid(set)) ?? []);
  },
};

async function sync(floor: Floor, set: JsonObject, owned: readonly JsonObject[]): Promise<void> {
  const active = owned.filter(isActive);
  const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
  for (let missing = wanted - active.length; missing > 0; missing--) await createPod(floor, set, 'ReplicaSet');
  for (const pod of [...active].sort((a, b) => worth(a) - worth(b)).slice(0, Math.max(0, active.length - wanted))) {
    await floor.send('DELETE', pathOf('v1', 'pods', pod));
  }
  const ready = active.filter(isReady).length;
  await report(floor, pathOf('apps/v1', 'replicasets', set), set, {
    replicas: active.length,
    fullyLabeledReplicas: active.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: generation(set),
  });
}

/** Which pods go first: those without a node, then those that are not ready. */
const worth = (pod: JsonObject) => (nodeOf(pod) === undefined ? 0 : isReady(pod) ? 2 : 1);

/** A pod of the owner's template, with `changes` to its spec. */
export async function createPod(
  floor: Floor,
  owner: JsonObject,
  kind: string,
  changes: JsonObject = {},
  more: JsonObject = {},
): Promise<void> {
  const template = objectAt(owner, 'spec', 'template');
  const metadata = objectAt(template, 'metadata');
  await floor.send('POST', `/api/v1/namespaces/${namespace(owner)}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      labels: { ...labels(template), ...more },
      generateName: `${name(owner)}-`,
      ownerReferences: [ownedBy(owner, 'apps/v1', kind)],
    },
    spec: { ...objectAt(template, 'spec'), ...changes },
  });
}
