import type { JsonObject } from '../../handler.ts';
import type { Clock } from '../../ports/clock.ts';
import { wanted } from './reads.ts';
import type { Asked } from './request.ts';
import { apiVersionOf, keyOf } from './resource.ts';
import type { Test } from './selectors.ts';
import { badRequest, Refusal } from './status.ts';
import type { Change, ObjectStore } from './store.ts';
import { inVersion } from './writes.ts';

/** One line of a watch. */
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

/** Where the lines go; `end` closes the stream. */
export interface Listener {
  tell(event: WatchEvent): void;
  end(): void;
}

const BOOKMARK_EVERY = 60_000;
/** apiserver pkg/endpoints/handlers/get.go: 30 to 60 minutes where the client says nothing. */
const LIFETIME = 2_700_000;

/** Follows a collection until the client goes, its timeout passes, or `end` is called; the answer ends it from outside. */
export function watch(store: ObjectStore, clock: Clock, asked: Asked, listener: Listener): () => void {
  const { resource, query } = asked;
  const key = keyOf(resource);
  const test = wanted(asked);
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const closers: (() => void)[] = [];
  const end = () => {
    for (const close of closers.splice(0)) close();
  };
  const tell = (type: WatchEvent['type'], object: JsonObject) =>
    listener.tell({ type, object: inVersion(resource, object) });
  const bookmark = (annotations?: JsonObject) => {
    const metadata = { resourceVersion: String(store.revision()), ...(annotations && { annotations }) };
    listener.tell({ type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } });
  };
  const pass = (change: Change) => {
    const type = seenAs(change, test);
    if (type) tell(type, change.object);
  };

  const begun = begin(store, key, query, (object) => test(object) && tell('ADDED', object), pass);
  if (begun) {
    // The API server tells it inside a stream that began with 200.
    listener.tell({ type: 'ERROR', object: begun.status });
    listener.end();
    return end;
  }
  if (query.get('sendInitialEvents') === 'true' && bookmarks) bookmark({ 'k8s.io/initial-events-end': 'true' });
  const over = () => {
    if (bookmarks) bookmark();
    end();
    listener.end();
  };
  closers.push(store.follow(key, pass), clock.after(Number(query.get('timeoutSeconds') ?? 0) * 1000 || LIFETIME, over));
  if (bookmarks) closers.push(every(clock, BOOKMARK_EVERY, bookmark));
  return end;
}

/** Tells what is there, or what the client missed since its revision; a refusal where that is forgotten. */
function begin(
  store: ObjectStore,
  key: string,
  query: URLSearchParams,
  show: (object: JsonObject) => void,
  pass: (change: Change) => void,
): Refusal | undefined {
  const from = query.get('resourceVersion') ?? '';
  const initial = query.get('sendInitialEvents') === 'true';
  requireConsistent(query, initial);
  if (initial || from === '' || from === '0') {
    store.snapshot(key).objects.forEach(show);
    return undefined;
  }
  const missed = store.since(key, Number(from));
  if (!missed) return new Refusal(410, 'Expired', `too old resource version: ${from} (${store.revision()})`);
  missed.forEach(pass);
  return undefined;
}

/** What a change is for a client that sees only the objects of `test`; undefined: nothing. */
function seenAs({ is, before, object }: Change, test: Test): WatchEvent['type'] | undefined {
  const was = before !== undefined && test(before);
  const stays = is !== 'DELETED' && test(object);
  if (stays) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}

function requireConsistent(query: URLSearchParams, initial: boolean): void {
  if (Number.isNaN(Number(query.get('resourceVersion') ?? 0))) throw badRequest('Invalid value: resourceVersion');
  if (initial && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw new Refusal(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${message}`);
  }
}

function every(clock: Clock, ms: number, then: () => void): () => void {
  let stop = clock.after(ms, again);
  function again() {
    then();
    stop = clock.after(ms, again);
  }
  return () => stop();
}
