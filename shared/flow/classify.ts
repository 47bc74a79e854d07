import { examine, type Fault } from '../examine.ts';
import { type Mode, milliseconds } from '../handler.ts';
import { type DryRuns, type Incident, isRunning, isUndecided, type Outgoing } from '../model.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Row } from '../ports/store.ts';
import { dryRunsOf } from './dry-run.ts';
import { incidentId, revisionOf } from './identity.ts';
import { keepLastGood, pictureOf } from './picture.ts';
import { clusterOf, type Hop, modeOf, type World } from './world.ts';

/** A fault that is gone must stay away at least this long before its card is withdrawn: a flapping object is one incident. */
const CLEAR_AFTER = milliseconds('60s');

/** Looks at one mode on one cluster: recognises, holds for the settle window, asks for dry runs, and tells what is gone. */
export const classify: Hop<'observed'> = async (world, event) => {
  const mode = modeOf(world, event.mode);
  const cluster = clusterOf(world, event.cluster);
  const look = await pictureOf(world, cluster, mode);
  const { faults } = await examine(mode, look);
  await keepLastGood(world, cluster, mode, look);

  const outgoing: Outgoing[] = [];
  const present = new Set<string>();
  for (const fault of faults) {
    const id = incidentId(cluster.id, mode.id, fault.subject);
    present.add(id);
    outgoing.push(...(await sighted(world, cluster, mode, fault, id)));
  }
  for (const row of await world.store.list('incident', { cluster: cluster.id })) {
    const { item } = row;
    if (item.mode !== mode.id || item.state === 'closed' || present.has(item.id)) continue;
    outgoing.push(...(await missed(world, row)));
  }
  return outgoing;
};

const lookAgain = (mode: string, cluster: string, because: string, after: number): Outgoing => ({
  fact: { event: 'observed', cluster, mode, because, objects: [] },
  after,
});

async function sighted(world: World, cluster: Cluster, mode: Mode, fault: Fault, id: string): Promise<Outgoing[]> {
  const now = world.clock.now();
  const row = await world.store.get('incident', id);
  const known = row && row.item.state !== 'closed' ? row.item : undefined;
  const since = known?.since ?? now.toISOString();
  if (!known || known.goneSince) {
    const { goneSince, ...rest } = known ?? { proposal: row?.item.proposal };
    const incident: Incident = {
      ...{ schema: 1, id, cluster: cluster.id, mode: mode.id, subject: fault.subject, state: 'sighted', since },
      ...rest,
    };
    const put = await world.store.put('incident', incident, row?.version ?? 0);
    if (!put.ok) throw new Error(`Incident ${id} was changed by somebody else while it was classified`);
  }
  const remaining = milliseconds(mode.settle) - (now.getTime() - Date.parse(since));
  if (remaining > 0) return [lookAgain(mode.id, cluster.id, 'the settle window is over', remaining)];

  const revision = revisionOf(fault.finding, fault.offer);
  if (await stands(world, row?.item.proposal, revision)) return [];
  const dryRuns: DryRuns = {};
  for (const plan of fault.offer.plans) dryRuns[plan.id] = await dryRunsOf(cluster, plan, now);
  return [{ fact: { event: 'found', incident: id, revision, found: { ...fault, cluster: cluster.id }, dryRuns } }];
}

/** Whether the incident's proposal already says this, or a run of it is under way: then there is nothing new to tell. */
async function stands(world: World, id: string | undefined, revision: string): Promise<boolean> {
  const row = id === undefined ? undefined : await world.store.get('proposal', id);
  if (!row) return false;
  return isRunning(row.item.state) || (isUndecided(row.item.state) && row.item.revision === revision);
}

async function missed(world: World, { item, version }: Row<Incident>): Promise<Outgoing[]> {
  const now = world.clock.now();
  if (item.state === 'sighted') {
    await world.store.put('incident', { ...item, state: 'closed' }, version);
    return [];
  }
  const proposal = item.proposal === undefined ? undefined : await world.store.get('proposal', item.proposal);
  if (proposal && isRunning(proposal.item.state)) return [];
  if (!item.goneSince) {
    await world.store.put('incident', { ...item, goneSince: now.toISOString() }, version);
    return [lookAgain(item.mode, item.cluster, 'the fault was not seen any more', CLEAR_AFTER)];
  }
  const gone = now.getTime() - Date.parse(item.goneSince);
  if (gone < CLEAR_AFTER) return [];
  return [{ fact: { event: 'cleared', incident: item.id, because: 'the fault is no longer there' } }];
}
