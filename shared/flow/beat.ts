import { inWords, milliseconds } from '../handler.ts';
import type { Event, Outgoing } from '../model.ts';
import { looksAt, type World } from './world.ts';

/** A watcher tells every five minutes that it is alive: one that is missed three times is gone. */
const MISSED_AFTER = milliseconds('15m');
/** The kind that stands for all that a watcher sees. */
const EVERYTHING = 'everything';

/** Notes that a cluster's watcher is alive. One that nobody registered is not believed: its key was not made for that cluster. */
export async function beat(world: World, event: Extract<Event, { event: 'beat' }>): Promise<Outgoing[]> {
  const { cluster, version, at } = event;
  const row = await world.store.get('cluster', cluster);
  if (!row || (row.item.beatAt !== undefined && row.item.beatAt >= at)) return [];
  const { missedSince, ...rest } = row.item;
  const put = await world.store.put('cluster', { ...rest, beatAt: at, watcher: version }, row.version);
  if (!put.ok) throw new Error(`The record of cluster ${row.item.name} was changed by somebody else at the same time`);
  if (missedSince === undefined) return [];
  const because = `the watcher of ${row.item.name} is heard again, after ${inWords(Date.parse(at) - Date.parse(missedSince))}`;
  return [
    { fact: { event: 'sighted', cluster, kind: EVERYTHING, because } },
    ...looksAt(world, row.item, 'its watcher is heard again'),
  ];
}

/** Tells once of each watcher that is missed: a cluster that nobody watches looks as well as one that has no fault. */
export async function missedWatchers(world: World): Promise<Outgoing[]> {
  const now = world.clock.now();
  const outgoing: Outgoing[] = [];
  for (const { item, version } of await world.store.list('cluster')) {
    const heard = item.beatAt ?? item.registeredAt;
    if (item.missedSince !== undefined || now.getTime() - Date.parse(heard) < MISSED_AFTER) continue;
    const put = await world.store.put('cluster', { ...item, missedSince: heard }, version);
    if (!put.ok) continue;
    const because = `nothing was heard of the watcher of ${item.name} since ${heard}: faults there go unseen`;
    outgoing.push({ fact: { event: 'blinded', cluster: item.id, kind: EVERYTHING, because } });
  }
  return outgoing;
}
