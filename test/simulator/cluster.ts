import { applyPatch } from 'rfc6902';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { isObject, type Json, type JsonObject, nameOf, type ObjectRef } from '../../shared/handler.ts';
import type { Cluster, Guard, Read, Touch, Touched } from '../../shared/ports/cluster.ts';

/** What may go wrong with the next touch; each is what a real API server was seen to do. */
export type Fault = 'none' | 'lost-answer' | 'lost-request' | 'late' | 'throttled' | 'raced' | 'rejected';

/** A cluster in memory whose every touch can be made to go wrong. */
export interface SimulatedCluster extends Cluster {
  /** What stands there now. */
  object(name: string): JsonObject | undefined;
  /** Writes as somebody else: a heartbeat, a change, a deletion (undefined). */
  set(object: JsonObject | undefined, name?: string): void;
  fault: () => Fault;
  /** Every write that really changed something, in order. */
  readonly effects: { readonly touch: Touch; readonly object: string }[];
  /** Lets requests through that were held back; after `REQUEST_LIFE` each comes through by itself. */
  settleLate(): void;
  /** Whether nothing of it can be reached. */
  down: boolean;
  /** By how many milliseconds its clock is behind. */
  behind: number;
}

/** An API server gives a request up after 60 s: one that is late has its effect before. */
const REQUEST_LIFE = 55_000;

/** RFC 7386. */
export function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const base: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete base[key];
    else base[key] = merged(base[key], value);
  }
  return base;
}

export function simulatedCluster(
  now: () => Date,
  call: (object: JsonObject, subresource: string) => JsonObject = (object) => object,
): SimulatedCluster {
  const objects = new Map<string, JsonObject>();
  const effects: SimulatedCluster['effects'] = [];
  const late: { readonly at: number; readonly request: () => void }[] = [];
  let version = 0;
  const guardOf = (object: JsonObject): Guard => {
    const { uid, resourceVersion } = Object(object.metadata);
    return { uid, resourceVersion };
  };
  const named = (object: JsonObject) => {
    const { name, namespace } = Object(object.metadata);
    return nameOf({ apiVersion: '', kind: String(object.kind), name, ...(namespace && { namespace }) });
  };
  function stored(object: JsonObject, manager: string): JsonObject {
    const former: { manager: string }[] = Object(objects.get(named(object))?.metadata).managedFields ?? [];
    const time = new Date(now().getTime() - cluster.behind).toISOString();
    const managedFields = [...former.filter((one) => one.manager !== manager), { manager, time }];
    return { ...object, metadata: { ...Object(object.metadata), managedFields, resourceVersion: String(++version) } };
  }
  function arrive(life = REQUEST_LIFE) {
    const arrived = late.filter(({ at }) => now().getTime() - at >= life);
    late.splice(0, late.length, ...late.filter((one) => !arrived.includes(one)));
    for (const { request } of arrived) request();
  }

  function result(touch: Touch, object: JsonObject): JsonObject | undefined {
    if (touch.do === 'delete') return undefined;
    if (touch.do === 'call') return call(object, touch.subresource);
    if (touch.patch.type === 'merge') return Object(merged(object, touch.patch.body));
    const copy = structuredClone(object);
    const errors = applyPatch(copy, structuredClone(touch.patch.operations));
    return errors.every((error) => error === null) ? copy : object;
  }

  /** The server's side of a touch: guarded, atomic, and without effect where nothing differs. */
  function perform(touch: Touch): Touched {
    const name = nameOf(touch.target);
    const object = objects.get(name);
    if (!object) return { is: 'rejected', code: 404, because: `${name} not found` };
    const guard = guardOf(object);
    if (touch.do !== 'call') {
      const holds = touch.guard.uid === guard.uid && touch.guard.resourceVersion === guard.resourceVersion;
      if (!holds) return { is: 'precondition-failed', because: 'the object has been modified' };
    }
    const after = result(touch, object);
    if (after && JSON.stringify(after) === JSON.stringify(object)) return { is: 'applied', object };
    effects.push({ touch, object: name });
    if (after) {
      const next = stored(after, 'gleaner');
      objects.set(name, next);
      return { is: 'applied', object: next };
    }
    objects.delete(name);
    return { is: 'applied', object: undefined };
  }

  const cluster: SimulatedCluster = {
    id: 'cluster-1',
    name: 'simulated',
    flavour: 'harvester',
    does: 'apply',
    effects,
    fault: () => 'none',
    object: (name) => objects.get(name),
    set(object, name = object ? named(object) : '') {
      arrive();
      if (object) objects.set(name, stored(object, 'somebody'));
      else objects.delete(name);
    },
    down: false,
    behind: 0,
    settleLate: () => arrive(0),
    async look() {
      arrive();
      if (cluster.down) throw new Error('The API server does not answer');
      return stillLife({ at: now(), objects: [...objects.values()], empty: ['/Node'] });
    },
    async read(ref: ObjectRef): Promise<Read> {
      arrive();
      if (cluster.down) return { is: 'unreadable', because: 'no route to the API server' };
      const object = objects.get(nameOf(ref));
      return object ? { is: 'there', object, guard: guardOf(object) } : { is: 'absent' };
    },
    async dryRun(touch) {
      arrive();
      if (cluster.down) return { is: 'blocked', because: 'no route to the API server' };
      const object = objects.get(nameOf(touch.target));
      if (!object) return { is: 'blocked', because: 'not found' };
      const after = result(touch, object);
      if (after && JSON.stringify(after) === JSON.stringify(object)) return { is: 'already-so' };
      return { is: 'would-change', differences: [{ path: '/', before: object, ...(after && { after }) }] };
    },
    async touch(touch) {
      arrive();
      const fault = cluster.down ? 'lost-request' : cluster.fault();
      switch (fault) {
        case 'none':
          return perform(touch);
        case 'lost-answer':
          perform(touch);
          return { is: 'unknown', because: 'the connection was reset' };
        case 'lost-request':
          return { is: 'unknown', because: 'no answer in time' };
        case 'late':
          late.push({ at: now().getTime(), request: () => perform(touch) });
          return { is: 'unknown', because: '504 Timeout' };
        case 'throttled':
          return { is: 'throttled', retryAfter: 2, because: 'too many requests' };
        case 'rejected':
          return { is: 'rejected', code: 403, because: 'forbidden' };
        case 'raced': {
          const object = objects.get(nameOf(touch.target));
          if (object) cluster.set(object);
          return perform(touch);
        }
      }
    },
    async watch() {},
  };
  return cluster;
}
