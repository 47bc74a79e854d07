import { milliseconds } from '../handler.ts';
import type { Outgoing, Proposal } from '../model.ts';
import { digestOf } from './identity.ts';
import { looksAt, type World } from './world.ts';

/**
 * Each mode is looked at again whenever its `again` has passed, or the world's pace where none of its proposals (`open`)
 * is to be followed; on each cluster at a moment of the cluster's own: of thousands, each tick has its share. Times are
 * milliseconds since 1970: the former tick's and this one's.
 */
export function recheck(world: World, open: readonly Proposal[], since: number, now: number): Outgoing[] {
  const followed = new Set(open.map(({ cluster, found }) => `${cluster}/${found.mode}`));
  return [...world.known.values()].flatMap((cluster) => {
    const phase = Number.parseInt(digestOf(cluster.id).slice(0, 8), 16);
    return looksAt(world, cluster, 'time to look again', ({ id, again }) => {
      const pace = followed.has(`${cluster.id}/${id}`) ? again : (world.pace ?? again);
      const every = Math.max(milliseconds(again), milliseconds(pace));
      const rounds = (time: number) => Math.floor((time + phase) / every);
      return rounds(since) !== rounds(now);
    });
  });
}
