import { milliseconds, type Verdict } from '../handler.ts';
import type { Outgoing, Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { pictureOf } from './picture.ts';
import { isSurplus } from './run.ts';
import { change } from './transition.ts';
import { isUndone } from './undo.ts';
import { clusterOf, type Hop, modeOf, type World } from './world.ts';

/** Re-runs the rule that found the fault until it has held over the mode's window, or its deadline is past. */
export const verify: Hop<'applied' | 'verifying'> = async (world, event) => {
  const row = await world.store.get('proposal', event.proposal);
  switch (row?.item.state) {
    case 'applied':
      if (isSurplus(world, row.item, milliseconds(modeOf(world, row.item.found.mode).verification.every))) return [];
      return judge(world, row, await ask(world, row.item));
    // A crash between the end and its being told is healed by doing the rest of it again.
    case 'fixed':
      await close(world, row.item);
      return told(row.item);
    case 'failed':
      return told(row.item);
    default:
      return [];
  }
};

/** The mode's own verification; an undo is verified by what stands where the first run wrote. */
async function ask(world: World, { found, cluster: id, undoes }: Proposal): Promise<Verdict> {
  const mode = modeOf(world, found.mode);
  const cluster = clusterOf(world, id);
  if (undoes === undefined) return mode.verify(await pictureOf(world, cluster, mode), found.finding);
  return (await isUndone(world, cluster, undoes))
    ? { is: 'fixed', because: 'what the first run changed is as it was before' }
    : { is: 'waiting', because: 'not everything is as it was before' };
}

async function judge(world: World, row: Row<Proposal>, verdict: Verdict): Promise<readonly Outgoing[]> {
  const { item } = row;
  const { every, hold, deadline } = modeOf(world, item.found.mode).verification;
  const now = world.clock.now().getTime();
  if (verdict.is === 'failed') return end(world, row, 'failed', verdict);
  if (verdict.is === 'fixed') {
    const holdsSince = item.holdsSince ?? new Date(now).toISOString();
    return now - Date.parse(holdsSince) >= milliseconds(hold)
      ? end(world, row, 'fixed', verdict)
      : again(world, row, verdict, holdsSince, milliseconds(every));
  }
  if (now - Date.parse(item.changedAt) < milliseconds(deadline)) {
    return again(world, row, verdict, undefined, milliseconds(every));
  }
  return end(world, row, 'failed', { ...verdict, because: `not fixed within ${deadline}: ${verdict.because}` });
}

async function again(
  world: World,
  row: Row<Proposal>,
  verdict: Verdict,
  holdsSince: string | undefined,
  every: number,
) {
  const { item } = row;
  const dueAt = new Date(world.clock.now().getTime() + every).toISOString();
  const { holdsSince: _held, ...rest } = item;
  const held = holdsSince === undefined ? rest : { ...rest, holdsSince };
  const put = await world.store.put('proposal', { ...held, verdict, dueAt }, row.version);
  if (!put.ok) return [];
  return [{ fact: { event: 'verifying' as const, proposal: item.id }, after: every }];
}

async function end(world: World, row: Row<Proposal>, state: 'fixed' | 'failed', verdict: Verdict) {
  const changed = await change(world, row, { state, because: verdict.because, set: { verdict } });
  if (!changed) return [];
  if (state === 'fixed') await close(world, row.item);
  return told(changed.item);
}

/** The incident is over; where this was an undo, what it undid is reverted. Written again by a redelivery, to the same end. */
async function close(world: World, item: Proposal): Promise<void> {
  const incident = await world.store.get('incident', item.incident);
  // Told late, or again, it must not close what came after it.
  if (incident?.item.state === 'open' && incident.item.proposal === item.id) {
    const closedAt = world.clock.now().toISOString();
    await world.store.put('incident', { ...incident.item, state: 'closed', closedAt }, incident.version);
  }
  const undone = item.undoes === undefined ? undefined : await world.store.get('proposal', item.undoes);
  if (undone?.item.state !== 'fixed') return;
  const reverted = await change(world, undone, { state: 'reverted', because: `undone by ${item.id}` });
  if (!reverted) throw new Error(`Proposal ${undone.item.id} was changed by somebody else while its undo ended`);
}

function told({ id, state, because, undoes }: Proposal): Outgoing[] {
  if (state === 'failed') return [{ fact: { event: 'failed', proposal: id, because } }];
  const fixed: Outgoing = { fact: { event: 'fixed', proposal: id, because } };
  return undoes === undefined ? [fixed] : [fixed, { fact: { event: 'reverted', proposal: undoes, because } }];
}
