import type { JsonObject } from '../handler.ts';
import { controllerUid, isReady } from './actors/pod-facts.ts';
import { CRDS } from './api/registry.ts';
import { idOf, type ObjectStore } from './api/store.ts';
import { stamp } from './api/writes.ts';
import { at, listAt, same, withField, withMetadata } from './json.ts';

/** The objects of the healthy cluster as the API server stored them at the start, by the store's key and the object's id. */
export type Healthy = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

/** Kinds whose objects come from controllers alone. */
const DERIVED = new Set([
  'coordination.k8s.io/leases',
  '/endpoints',
  'discovery.k8s.io/endpointslices',
  'apps/replicasets',
]);

/** What the store holds now, to be put back later. */
export const remembered = (store: ObjectStore): Healthy =>
  new Map(
    store.keys().map((key) => [key, new Map(store.snapshot(key).objects.map((object) => [idOf(object), object]))]),
  );

/**
 * Puts every object back as the healthy cluster has it: what should not be there goes, also past finalizers; what is
 * different gets its healthy content again; what is missing is made anew; pods that are not well go, for their
 * controllers to replace. Watches see each of these changes.
 */
export function restore(store: ObjectStore, healthy: Healthy, now: Date, uid: () => string): void {
  // Definitions first: without them their objects could not be served.
  const keys = [...new Set([CRDS, ...healthy.keys(), ...store.keys()])];
  for (const key of keys) {
    const wanted = healthy.get(key) ?? new Map<string, JsonObject>();
    for (const object of store.snapshot(key).objects) {
      const target = wanted.get(idOf(object));
      if (target) rewrite(store, key, object, target);
      else if (!isDerived(key, object)) store.remove(key, idOf(object));
    }
    for (const [id, target] of wanted) {
      if (store.get(key, id)) continue;
      store.write(key, withMetadata(target, { uid: uid(), creationTimestamp: stamp(now), resourceVersion: undefined }));
    }
  }
}

/** What a controller keeps stays; its pods only while they are well. */
function isDerived(key: string, object: JsonObject): boolean {
  if (DERIVED.has(key)) return true;
  const containers = listAt(object, 'status', 'containerStatuses');
  const isWell = key !== '/pods' || (isReady(object) && containers.every((each) => at(each, 'ready') === true));
  return controllerUid(object) !== undefined && isWell;
}

function rewrite(store: ObjectStore, key: string, object: JsonObject, target: JsonObject): void {
  const kept = ['uid', 'creationTimestamp', 'generation', 'resourceVersion'];
  const metadata = Object.fromEntries(kept.map((field) => [field, at(object, 'metadata', field)]));
  // Where nobody gave a status at the start, a controller computes it.
  const status = at(target, 'status') ?? at(object, 'status');
  const wanted = withMetadata(withField(target, 'status', status), metadata);
  if (!same(wanted, object)) store.write(key, wanted);
}
