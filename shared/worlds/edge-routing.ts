import { queueNamed } from '../adapters/sts/edge-rights.ts';
import type { Event, Registered } from '../model.ts';
import type { Store } from '../ports/store.ts';
import { type Env, setting } from './aws/environment.ts';

/** Whether a cluster's hops run where it is. */
export const isEdge = (row: Registered | undefined) => row?.reach === 'edge';

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
