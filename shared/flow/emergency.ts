import type { Click, Outgoing } from '../model.ts';
import { answered, refused } from './decision.ts';
import { clusterMeant, notAllowedThere } from './everywhere.ts';
import type { World } from './world.ts';

/** The emergency stop of a cluster: any approver of any tier may pull it, so that the right person need not be found first. */
export async function flip(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  const cluster = await clusterMeant(world, click);
  if (!cluster.ok) return refused(click, cluster.because);
  const refusal = await notAllowedThere(world, cluster.id, click);
  if (refusal !== undefined) return refused(click, refusal);
  const row = await world.store.get('switch', cluster.id);
  const stopped = click.choice === 'stop';
  // A copy that comes late must not lift a stop that was pulled after it, nor one that was pulled in the same moment.
  if (row && (at < row.item.at || (at === row.item.at && row.item.stopped && !stopped)))
    return refused(click, `${row.item.who} ${row.item.stopped ? 'stopped' : 'resumed'} it since`);
  const flipped = { schema: 1 as const, id: cluster.id, stopped, who: click.who, at };
  const put = await world.store.put('switch', flipped, row?.version ?? 0);
  if (!put.ok) throw new Error(`The emergency stop of ${cluster.id} was changed by somebody else at the same time`);
  const because = stopped ? 'every run on the cluster is stopped' : 'runs on the cluster may go on';
  return [
    { fact: { event: stopped ? 'stopped' : 'resumed', cluster: cluster.id, who: click.who } },
    answered(click, because),
  ];
}
