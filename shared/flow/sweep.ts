import { milliseconds } from '../handler.ts';
import { isRunning, isUndecided, type Outgoing, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { isCurrent } from './approve.ts';
import { policyOf } from './propose.ts';
import { change } from './transition.ts';
import type { Hop, World } from './world.ts';

/** An event of a run that is this late was lost: it is sent again. */
const LOST_AFTER = milliseconds('60s');

/** The only source of "later" beyond a delivery's delay: expiry, reminders, snoozes that end, re-checks, lost events. */
export const sweep: Hop<'ticked'> = async (world, event) => {
  const outgoing: Outgoing[] = [...recheck(world, Date.parse(event.since), Date.parse(event.at))];
  for (const row of await world.store.list('proposal')) {
    if (isUndecided(row.item.state)) outgoing.push(...(await undecided(world, row)));
    else if (isRunning(row.item.state)) outgoing.push(...overdue(world, row.item));
  }
  return outgoing;
};

/** Each mode is looked at again whenever a multiple of its `again` has passed since the former tick. */
function recheck(world: World, since: number, now: number): Outgoing[] {
  return world.modes.flatMap((mode) => {
    const every = milliseconds(mode.again);
    if (Math.floor(since / every) === Math.floor(now / every)) return [];
    return [...world.clusters.values()]
      .filter((cluster) => cluster.flavour === mode.on)
      .map(({ id }) => ({
        fact: { event: 'observed' as const, cluster: id, mode: mode.id, because: 'time to look again', objects: [] },
      }));
  });
}

async function undecided(world: World, row: Row<Proposal>): Promise<Outgoing[]> {
  const { item } = row;
  const now = world.clock.now().getTime();
  if (!(await isCurrent(world, item))) {
    const by = (await world.store.get('incident', item.incident))?.item.proposal ?? '';
    const because = 'a newer proposal took its place';
    const changed = await change(world, row, { state: 'superseded', because });
    return changed ? [{ fact: { event: 'superseded', proposal: item.id, by } }] : [];
  }
  if (now >= Date.parse(item.expiresAt)) {
    const because = 'nobody decided in time, which means no';
    return (await change(world, row, { state: 'expired', because }))
      ? [{ fact: { event: 'expired', proposal: item.id } }]
      : [];
  }
  if (now < Date.parse(item.remindAt)) return [];
  const remindAt = new Date(now + milliseconds(policyOf(world, item.found).remind)).toISOString();
  const because = item.state === 'snoozed' ? 'the snooze is over' : 'it still waits for a decision';
  const reminded = await change(world, row, { state: 'open', stage: 'reminded', because, set: { remindAt } });
  return reminded ? [{ fact: { event: 'reminded', proposal: item.id } }] : [];
}

function overdue(world: World, { id, state, dueAt, changedAt }: Proposal): Outgoing[] {
  const due = Date.parse(dueAt ?? changedAt);
  if (world.clock.now().getTime() - due < LOST_AFTER) return [];
  return [{ fact: state === 'applied' ? { event: 'verifying', proposal: id } : { event: 'applying', proposal: id } }];
}
