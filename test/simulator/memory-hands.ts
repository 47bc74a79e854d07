import type { Hands } from '../../shared/drill.ts';
import { type Json, type JsonObject, nameOf, type ObjectRef } from '../../shared/handler.ts';

/** Objects in memory with the hands of a drill on them, for tests of drills: no schemas, no status subresources. */
export interface MemoryHands {
  readonly hands: Hands;
  objects(): readonly JsonObject[];
  /** Lets time pass. */
  pass(milliseconds: number): void;
}

/** An object's reference. */
const refOf = ({ apiVersion, kind, metadata }: JsonObject): ObjectRef => {
  const { name, namespace, uid } = Object(metadata);
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
  };
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7386. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

export function memoryHands(start: Date): MemoryHands {
  const objects = new Map<string, JsonObject>();
  let now = start.getTime();
  let uids = 0;
  const keyOf = (ref: ObjectRef) => `${ref.apiVersion} ${nameOf(ref)}`;
  const store = (ref: ObjectRef, object: JsonObject) => {
    const { deletionTimestamp, finalizers = [] } = Object(object.metadata);
    if (deletionTimestamp && finalizers.length === 0) objects.delete(keyOf(ref));
    else objects.set(keyOf(ref), object);
  };
  const hands: Hands = {
    now: () => new Date(now),
    get: async (ref) => objects.get(keyOf(ref)),
    list: async ({ apiVersion, kind }) =>
      [...objects.values()].filter((object) => object.apiVersion === apiVersion && object.kind === kind),
    async create(object) {
      const ref = refOf(object);
      if (objects.has(keyOf(ref))) return;
      const made = { uid: `u${++uids}`, creationTimestamp: new Date(now).toISOString() };
      objects.set(keyOf(ref), { ...object, metadata: { ...Object(object.metadata), ...made } });
    },
    async put(object) {
      const before = Object(objects.get(keyOf(refOf(object)))?.metadata);
      const kept = { uid: before.uid, creationTimestamp: before.creationTimestamp };
      store(refOf(object), { ...object, metadata: { ...Object(object.metadata), ...kept } });
    },
    async merge(ref, patch) {
      const after = merged(objects.get(keyOf(ref)), patch);
      if (isObject(after)) store(ref, after);
    },
    async remove(ref) {
      const object = objects.get(keyOf(ref));
      const deletionTimestamp = new Date(now).toISOString();
      if (object) store(ref, { ...object, metadata: { ...Object(object.metadata), deletionTimestamp } });
    },
    say: async () => {},
    vip: () => {},
  };
  return {
    hands,
    objects: () => [...objects.values()],
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}
