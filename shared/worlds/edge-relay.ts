import { queueNamed } from '../adapters/sts/edge-rights.ts';
import { sessionsBy, stsClient } from '../adapters/sts/session.ts';
import { incidentId } from '../flow/identity.ts';
import { milliseconds } from '../handler.ts';
import type { Event, Registered } from '../model.ts';
import type { Store } from '../ports/store.ts';
import { httpFunction } from '../runtime/relay/function.ts';
import { type RelayParts, relay } from '../runtime/relay/relay.ts';
import { type Base, openBase } from './aws/base.ts';
import { type Env, setting } from './aws/environment.ts';
import { registry } from './aws/registered.ts';
import { busOf } from './aws/world.ts';

/** A key that was changed or taken away counts as that everywhere after so long. */
const KEPT = milliseconds('60s');

/** The way in for clusters that work at their edge, as the handler of a Lambda function behind an HTTP API. */
export function relayFunction(env: Env) {
  const base = openBase(env);
  return httpFunction(relay({ log: base.log, open: () => parts(base) }));
}

async function parts(base: Base): Promise<RelayParts> {
  const { env, store, clock, parameters } = base;
  const [prefix, registered] = [setting(env, 'GLEANER_WATCHER_KEYS'), registry(base)];
  // Before it nothing is decided by the clock.
  await store.ready();
  return {
    ...{ store, clock, bus: busOf(base).bus },
    incidentId,
    session: sessionsBy({
      ...{ client: stsClient(), role: setting(env, 'GLEANER_EDGE_ROLE'), region: setting(env, 'AWS_REGION') },
      queues: {
        prefix: setting(env, 'GLEANER_EDGE_QUEUE_ARNS'),
        deadLetters: setting(env, 'GLEANER_EDGE_DEAD_LETTERS_ARN'),
      },
      urls: { prefix: setting(env, 'GLEANER_EDGE_QUEUES'), deadLetters: setting(env, 'GLEANER_EDGE_DEAD_LETTERS') },
    }),
    async keys(cluster) {
      // Those that are told to work at their edge alone: the key of any other one sends observations, and nothing more.
      if (!isEdge((await registered()).get(cluster))) return undefined;
      const found = await parameters.newest(`${prefix}/${cluster}`, KEPT);
      if (found.is === 'there') return found.value.split(/\s+/).filter((key) => key.startsWith('whsec_'));
      if (found.is === 'absent') return undefined;
      throw new Error(found.because);
    },
  };
}

const isEdge = (row: Registered | undefined) => row?.reach === 'edge';

/** The hops that run where the cluster is. */
export const EDGE_HOPS = ['classify', 'apply', 'verify'] as const;

/** Where an event's cluster is reached, for a bus that brings it there. */
export interface Home {
  readonly cluster: string;
  readonly reach: 'direct' | 'edge';
}

/** Finds the home of events. What names a proposal alone is asked of the store, and only where any cluster works at its edge. */
export function homes(store: Pick<Store, 'get'>, registered: () => Promise<ReadonlyMap<string, Registered>>) {
  return async (event: Event): Promise<Home | undefined> => {
    const rows = await registered();
    if (![...rows.values()].some(isEdge)) return undefined;
    const cluster = await clusterOf(store, event);
    return cluster === undefined ? undefined : { cluster, reach: isEdge(rows.get(cluster)) ? 'edge' : 'direct' };
  };
}

async function clusterOf(store: Pick<Store, 'get'>, event: Event): Promise<string | undefined> {
  if ('cluster' in event) return event.cluster;
  return 'proposal' in event ? (await store.get('proposal', event.proposal))?.item.cluster : undefined;
}

/** The URL of the queue of an edge, for `queueOf` of the delays: `GLEANER_EDGE_QUEUES` and the cluster's id. */
export const edgeQueueOf = (env: Env, cluster: string): string =>
  queueNamed(setting(env, 'GLEANER_EDGE_QUEUES'), cluster);
