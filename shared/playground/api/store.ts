import type { JsonObject } from '../../handler.ts';
import { objectAt, textAt, withMetadata } from '../json.ts';

/** One write, as watches see it. `before` is what stood there, where something stood there. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  readonly is: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
  readonly before: JsonObject | undefined;
}

/** All objects of one resource at one revision, in etcd's order. */
export interface Snapshot {
  readonly revision: number;
  readonly objects: readonly JsonObject[];
}

/**
 * Objects in memory, with one counter of revisions as etcd has it. Objects never change: each write puts a new one
 * in the old one's place, so that a reader may keep what it was given.
 */
export interface ObjectStore {
  revision(): number;
  get(key: string, id: string): JsonObject | undefined;
  snapshot(key: string): Snapshot;
  /** Stores the object with the next revision as its resourceVersion, and gives it back. */
  write(key: string, object: JsonObject): JsonObject;
  remove(key: string, id: string): JsonObject | undefined;
  /** The revision of the last change of a resource. */
  changedAt(key: string): number;
  keys(): readonly string[];
  /** The changes of a resource after a revision; undefined: they are compacted. */
  since(key: string, revision: number): readonly Change[] | undefined;
  follow(key: string, listener: (change: Change) => void): () => void;
  /** Forgets the history: what asks for the changes since an older revision gets none. */
  compact(): void;
}

/** `namespace/name`; a name alone where the kind has no namespaces. */
export function idOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  return `${namespace ? `${namespace}/` : ''}${textAt(metadata, 'name') ?? ''}`;
}

/** How many changes are remembered. */
const HISTORY = 4000;

export function objectStore(): ObjectStore {
  let revision = 1;
  let floor = 0;
  let history: Change[] = [];
  const tables = new Map<string, Map<string, JsonObject>>();
  const changed = new Map<string, number>();
  const sorted = new Map<string, Snapshot>();
  const listeners = new Map<string, Set<(change: Change) => void>>();

  const tableOf = (key: string) => {
    const table = tables.get(key) ?? new Map<string, JsonObject>();
    tables.set(key, table);
    return table;
  };

  const record = (change: Change) => {
    changed.set(change.key, change.revision);
    history.push(change);
    if (history.length > HISTORY) {
      floor = history[HISTORY / 2]?.revision ?? revision;
      history = history.slice(HISTORY / 2 + 1);
    }
    for (const listener of listeners.get(change.key) ?? []) listener(change);
  };

  const snapshot = (key: string): Snapshot => {
    const last = sorted.get(key);
    if (last && last.revision >= (changed.get(key) ?? 0)) return { revision, objects: last.objects };
    const objects = [...tableOf(key)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    sorted.set(key, { revision, objects });
    return { revision, objects };
  };

  return {
    revision: () => revision,
    get: (key, id) => tables.get(key)?.get(id),
    snapshot,
    write(key, object) {
      const table = tableOf(key);
      const id = idOf(object);
      const before = table.get(id);
      const stored = withMetadata(object, { resourceVersion: String(++revision) });
      table.set(id, stored);
      record({ revision, key, is: before ? 'MODIFIED' : 'ADDED', object: stored, before });
      return stored;
    },
    remove(key, id) {
      const before = tables.get(key)?.get(id);
      if (!before) return undefined;
      tables.get(key)?.delete(id);
      const last = withMetadata(before, { resourceVersion: String(++revision) });
      record({ revision, key, is: 'DELETED', object: last, before });
      return last;
    },
    changedAt: (key) => changed.get(key) ?? 0,
    keys: () => [...tables.keys()],
    since: (key, after) =>
      after < floor ? undefined : history.filter((change) => change.key === key && change.revision > after),
    follow(key, listener) {
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      return () => void all.delete(listener);
    },
    compact() {
      floor = revision;
      history = [];
    },
  };
}
