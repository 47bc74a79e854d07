import type { Wake, Where } from '../../../handler.ts';
import { groupOf, type Kind, type ObjectRef } from '../../../objects.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Watched } from '../../../ports/cluster.ts';
import type { Discovery } from '../discovery.ts';
import type { Transport } from '../transport.ts';
import { follow } from './follow.ts';
import { type Change, memory } from './memory.ts';
import { sightedness } from './sightedness.ts';
import { NOBODY, type Witness } from './witness.ts';

export interface WatchOptions {
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly speed: number;
  /** Whether the server is new enough to know streamed lists; that it refuses them is found out. */
  readonly mayStreamLists: boolean;
  readonly random?: () => number;
  readonly witness?: Witness | undefined;
  warn(because: string): void;
}

/**
 * Follows what the wakes name until aborted: one reader per kind and selection, however many wakes share it. Tells each
 * appearance, each change of a wake's fields and each disappearance of an object that had any.
 */
export async function watchAll(
  options: WatchOptions,
  wakes: readonly Wake[],
  tell: (what: Watched) => void,
  signal: AbortSignal,
): Promise<void> {
  const { speed, transport, discovery, clock, warn, random = Math.random, witness = NOBODY } = options;
  const streamsLists = { supported: options.mayStreamLists };
  const groups = Map.groupBy(wakes, ({ kind, where }) => collectionKey(kind, where ?? {}));
  const followers = [...groups].flatMap(([collection, group]) => {
    const [first] = group;
    if (!first) return [];
    const { kind, where = {} } = first;
    const sight = sightedness(clock, kind, tell);
    const following = follow(
      {
        ...{ transport, discovery, clock, random, speed, streamsLists, warn, kind, where, sight },
        seen: {
          heard: () => witness.heard(kind, collection),
          listed: (objects) => witness.listed(kind, collection, objects),
        },
        memory: memory(kind, group),
        tell: (changes) => tellAll(changes, tell),
      },
      signal,
    );
    return [following.finally(() => sight.stop())];
  });
  await Promise.all(followers);
}

/** One message per wake, with every object that concerns it. */
function tellAll(changes: readonly Change[], tell: (what: Watched) => void): void {
  if (changes.length === 0) return;
  const byWake = new Map<Wake, ObjectRef[]>();
  for (const { wake, ref } of changes) {
    const known = byWake.get(wake);
    if (known) known.push(ref);
    else byWake.set(wake, [ref]);
  }
  for (const [wake, objects] of byWake) tell({ is: 'changed', wake, objects });
}

function collectionKey({ apiVersion, kind }: Kind, { namespace, labels = {}, fields = {} }: Where): string {
  const sorted = (all: Readonly<Record<string, string>>) => Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([groupOf(apiVersion), kind, namespace ?? null, sorted(labels), sorted(fields)]);
}
