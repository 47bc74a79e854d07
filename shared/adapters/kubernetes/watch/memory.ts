import type { Wake } from '../../../handler.ts';
import { isObject, type JsonObject, type Kind, type ObjectRef } from '../../../objects.ts';
import { digest, projection } from './projection.ts';

/** A change that a wake asked for. */
export interface Change {
  readonly wake: Wake;
  readonly ref: ObjectRef;
}

/** What is remembered of a collection: of each object its uid, and digests of its version and of the fields that matter. */
export interface Memory {
  readonly size: number;
  /** Takes the object as it is now. Gives what changed for whom: nothing where no field that matters did. */
  put(object: JsonObject): readonly Change[];
  drop(object: JsonObject): readonly Change[];
  /** Begins a comparison with a complete list: what it does not see until `end` is gone. */
  compare(): { put(object: JsonObject): readonly Change[]; end(): readonly Change[] };
  /** Forgets everything, so that the next list tells it all again. */
  clear(): void;
}

const NONE: readonly Change[] = [];
/** The digest of "this object never matters", and of an object that the kind's schema cannot read. */
const [NEVER, UNREADABLE] = [0, 1];

/** Where the wakes' digests begin: before them stand those of the version and of what the kind's schema reads. */
const FIRST = 2;

/**
 * Keeps about 0.45 KB per object. The key is `namespace/name/uid`, none of which can hold a slash, so an object that
 * was deleted and created again is another one; the value is an array of doubles: version, projection, one per wake.
 */
export function memory({ apiVersion, kind, schema }: Kind, wakes: readonly Wake[]): Memory {
  const known = new Map<string, number[]>();
  const project = projection(schema);

  function put(object: JsonObject, unseen?: Set<string>): readonly Change[] {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const key = keyOf(metadata);
    unseen?.delete(key);
    const before = known.get(key);
    const version = digest(String(metadata.resourceVersion ?? ''));
    if (before?.[0] === version) return NONE;
    const read = project(object);
    if (before?.[1] === read) {
      before[0] = version;
      return NONE;
    }
    // Not pushed one by one: a growing array takes room for sixteen more.
    const after = [version, read].concat(wakes.map((wake) => markOf(wake, object)));
    known.set(key, after);
    return changes(key, (index) => (before?.[index] ?? NEVER) !== (after[index] ?? NEVER));
  }

  function forget(key: string): readonly Change[] {
    const before = known.get(key);
    known.delete(key);
    return before ? changes(key, (index) => before[index] !== NEVER) : NONE;
  }

  function changes(key: string, isChanged: (index: number) => boolean): readonly Change[] {
    let found: Change[] | undefined;
    for (let index = 0; index < wakes.length; index += 1) {
      const wake = wakes[index];
      if (!wake || !isChanged(index + FIRST)) continue;
      found ??= [];
      found.push({ wake, ref: refOf(key) });
    }
    return found ?? NONE;
  }

  function refOf(key: string): ObjectRef {
    const [namespace, name = '', uid] = key.split('/');
    return { apiVersion, kind, ...(namespace && { namespace }), name, ...(uid && { uid }) };
  }

  return {
    get size() {
      return known.size;
    },
    put,
    drop: (object) => forget(keyOf(isObject(object.metadata) ? object.metadata : {})),
    compare() {
      const unseen = new Set(known.keys());
      return { put: (object) => put(object, unseen), end: () => [...unseen].flatMap(forget) };
    },
    clear: () => known.clear(),
  };
}

const keyOf = ({ namespace, name, uid }: JsonObject) =>
  `${typeof namespace === 'string' ? namespace : ''}/${String(name ?? '')}/${typeof uid === 'string' ? uid : ''}`;

function markOf(wake: Wake, object: JsonObject): number {
  try {
    const fields = wake.fields(object);
    if (fields === undefined) return NEVER;
    // 0 and 1 mean something else; no other text may be taken for them.
    return digest(JSON.stringify(fields)) + 2;
  } catch {
    // A kind whose shape has changed: that it became readable, or ceased to be, is a change.
    return UNREADABLE;
  }
}
