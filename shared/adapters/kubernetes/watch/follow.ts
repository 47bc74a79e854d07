import type { Where } from '../../../handler.ts';
import type { Kind } from '../../../objects.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type Listed, listPages } from '../collection.ts';
import { type Discovery, pathOf, type Served } from '../discovery.ts';
import { queryOf, selectorsOf } from '../selectors.ts';
import type { Transport } from '../transport.ts';
import { type BackOff, backOff } from './back-off.ts';
import type { Change, Memory } from './memory.ts';
import type { Sightedness } from './sightedness.ts';
import { type Ending, stream } from './stream.ts';
import { type StreamedList, streamedList } from './streamed-list.ts';

/** A watch is asked to end after 25 to 35 s, so that its silence tells within 40 s that the path is broken. */
const ROUND = 30_000;
const GRACE = 5_000;
/** Without an event or a bookmark for this long we list and compare: a watch from a version of the future is silent for ever. */
const DOUBT = 120_000;
const LONGEST_DOUBT = 1_800_000;

/** What follows one collection. */
export interface Follower {
  readonly transport: Transport;
  readonly discovery: Discovery;
  /** Real time: connections do not run faster than life. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly kind: Kind;
  readonly where: Where;
  readonly memory: Memory;
  readonly sight: Sightedness;
  /** How much faster than life the API server's clock runs; 1 unless it is a pretended one. */
  readonly speed: number;
  /** Whether the server streams lists; shared by all followers, and set to false by the first one that learns it. */
  readonly streamsLists: { supported: boolean };
  /** Told how far this collection has been seen. */
  readonly seen: { heard(): void; listed(objects: number): void };
  tell(changes: readonly Change[]): void;
  warn(because: string): void;
}

/** Where a follower stands. `quietSince`: when it last heard anything that proves that its version is of this world. */
interface State {
  version: string | undefined;
  quietSince: number;
  doubt: number;
}

/** Lists, watches, and begins again, until aborted. What it has told once it does not tell again unless it changes. */
export async function follow(follower: Follower, signal: AbortSignal): Promise<void> {
  const pauses = backOff(follower.clock, follower.random, signal);
  const state: State = { version: undefined, quietSince: 0, doubt: DOUBT };
  while (!signal.aborted) {
    try {
      await round(follower, state, pauses, signal);
    } catch (error) {
      // Whoever listens could not take it: all of it is told again.
      follower.warn(`${follower.kind.kind}: ${String(error)}`);
      follower.memory.clear();
      state.version = undefined;
      await pauses.failed();
    }
  }
}

async function round(follower: Follower, state: State, pauses: BackOff, signal: AbortSignal): Promise<void> {
  const found = await follower.discovery.find(follower.kind);
  if (found.is === 'unknown') return turnedAway(follower, pauses, { ...found, retryAfter: undefined });
  if (found.is === 'not-served') return notServed(follower, state, pauses);
  const { served } = found;
  const now = follower.clock.now().getTime();
  const isDoubtful = state.version !== undefined && now - state.quietSince > state.doubt;
  if (state.version !== undefined && !isDoubtful) return watchOn(follower, served, state, pauses, signal);
  if (state.version === undefined && follower.streamsLists.supported) {
    return watchOn(follower, served, state, pauses, signal);
  }
  return relist(follower, served, state, pauses);
}

/** A kind that is not served has no objects: seen, not blind. It may be installed at any time. */
async function notServed(follower: Follower, state: State, pauses: BackOff): Promise<void> {
  state.version = undefined;
  follower.tell(follower.memory.compare().end());
  follower.sight.contact();
  follower.seen.heard();
  await pauses.refused();
}

type Refusal = { readonly code: number; readonly because: string; readonly retryAfter: number | undefined };

/** 401 and 403 do not pass by themselves once they last; everything else may. */
async function turnedAway(follower: Follower, pauses: BackOff, refusal: Refusal): Promise<void> {
  const { code, because, retryAfter } = refusal;
  if (code !== 401 && code !== 403) follower.sight.trouble(because);
  else if (follower.sight.refused(because)) return pauses.refused();
  return pauses.failed(retryAfter);
}

/** Reads the whole collection and tells the difference to what is remembered: changes, newcomers, and what is gone. */
async function relist(follower: Follower, served: Served, state: State, pauses: BackOff): Promise<void> {
  const { memory, transport, where, sight } = follower;
  let comparison = memory.compare();
  const changes: Change[] = [];
  const listed: Listed = await listPages(transport.send, served, where, {
    page: (objects) => {
      sight.contact();
      for (const object of objects) changes.push(...comparison.put(object));
    },
    restart: () => {
      comparison = memory.compare();
    },
  });
  if (listed.is === 'listed') changes.push(...comparison.end());
  follower.tell(changes);
  switch (listed.is) {
    case 'listed': {
      const wasDeaf = changes.length > 0;
      state.doubt = state.version === undefined || wasDeaf ? DOUBT : Math.min(state.doubt * 2, LONGEST_DOUBT);
      state.version = listed.resourceVersion;
      state.quietSince = follower.clock.now().getTime();
      follower.seen.listed(memory.size);
      return pauses.succeeded();
    }
    case 'absent':
      return gone(follower, state, pauses);
    case 'failed':
      return turnedAway(follower, pauses, listed);
  }
}

/** The collection is not where discovery had found it. */
async function gone(follower: Follower, state: State, pauses: BackOff): Promise<void> {
  follower.discovery.forget(follower.kind);
  follower.sight.trouble('it is not where it was served (404)');
  state.version = undefined;
  await pauses.failed();
}

async function watchOn(
  follower: Follower,
  served: Served,
  state: State,
  pauses: BackOff,
  signal: AbortSignal,
): Promise<void> {
  const began = follower.clock.now().getTime();
  const initial = state.version === undefined ? streamedList(follower) : undefined;
  const ending = await listen(follower, served, state, initial, signal).finally(() => initial?.stop());
  if (signal.aborted) return;
  if (initial && !initial.isComplete()) return notStreamed(follower, pauses, ending);
  switch (ending.is) {
    case 'over':
      follower.sight.contact();
      follower.seen.heard();
      pauses.succeeded();
      return pauses.round(began);
    case 'expired':
      state.version = undefined;
      return pauses.round(began);
    case 'broken':
      follower.sight.trouble(ending.because);
      return pauses.failed();
    case 'refused':
      return ending.code === 404 ? gone(follower, state, pauses) : turnedAway(follower, pauses, ending);
  }
}

/** The list did not come as a stream: refused (422, 400), failed inside (500 on old etcd), or never ended. */
async function notStreamed(follower: Follower, pauses: BackOff, ending: Ending): Promise<void> {
  if (ending.is === 'broken') {
    follower.sight.trouble(ending.because);
    return pauses.failed();
  }
  const isRefusal = ending.is === 'refused' && [401, 403, 404, 429].includes(ending.code);
  if (isRefusal) return turnedAway(follower, pauses, ending);
  follower.streamsLists.supported = false;
}

async function listen(
  follower: Follower,
  served: Served,
  state: State,
  initial: StreamedList | undefined,
  signal: AbortSignal,
): Promise<Ending> {
  const { transport, clock, memory, sight } = follower;
  const heard = () => {
    state.quietSince = clock.now().getTime();
    if (!initial || initial.isComplete()) follower.seen.heard();
  };
  const ending = await stream(
    {
      ...{ transport, clock, silence: ROUND + ROUND / 6 + GRACE },
      path: watchPath(follower, served, state.version),
      signal: initial ? AbortSignal.any([signal, initial.late]) : signal,
    },
    {
      opened: () => sight.contact(),
      object(type, object) {
        heard();
        if (initial && !initial.isComplete()) return initial.put(object);
        const { resourceVersion } = Object(object.metadata);
        follower.tell(type === 'DELETED' ? memory.drop(object) : memory.put(object));
        state.version = String(resourceVersion);
      },
      bookmark(resourceVersion, isInitialEnd) {
        heard();
        sight.contact();
        if (initial && !initial.isComplete()) {
          if (!isInitialEnd) return;
          initial.complete();
          follower.seen.listed(memory.size);
        }
        state.version = resourceVersion;
      },
    },
  );
  return initial?.isLate()
    ? { is: 'refused', code: 400, because: 'the list never ended', retryAfter: undefined }
    : ending;
}

function watchPath({ where, random, speed }: Follower, served: Served, version: string | undefined): string {
  const seconds = Math.round(((ROUND * (5 / 6 + random() / 3)) / 1000) * speed);
  const from =
    version === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: version };
  const query = queryOf({
    ...{ watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(seconds) },
    ...selectorsOf(where),
    ...from,
  });
  return `${pathOf(served, where.namespace)}?${query}`;
}
