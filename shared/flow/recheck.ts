import { milliseconds } from '../handler.ts';
import type { Outgoing } from '../model.ts';
import { digestOf } from './identity.ts';
import { looksAt, type World } from './world.ts';

/**
 * Each mode is looked at again whenever its `again` has passed, on each cluster at a moment of the cluster's own: of
 * thousands, each tick has its share. Times are milliseconds since 1970: the former tick's and this one's.
 */
export const recheck = (world: World, since: number, now: number): Outgoing[] =>
  [...world.known.values()].flatMap((cluster) => {
    const phase = Number.parseInt(digestOf(cluster.id).slice(0, 8), 16);
    return looksAt(world, cluster, 'time to look again', ({ again }) => {
      const rounds = (time: number) => Math.floor((time + phase) / milliseconds(again));
      return rounds(since) !== rounds(now);
    });
  });
