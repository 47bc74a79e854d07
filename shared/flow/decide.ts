import { type Click, isRunning, isUndecided, type Outgoing, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { approve } from './approve.ts';
import { type Decision, decided, refused, whyNot } from './decision.ts';
import { cut } from './fit.ts';
import { isApprover, notAllowed, policyForPlan } from './permit.ts';
import { policyOf } from './propose.ts';
import { change } from './transition.ts';
import { planOf, proposeUndo } from './undo.ts';
import type { Hop, World } from './world.ts';

/** For how long a snoozed card stays silent. */
const SNOOZE = 3_600_000;
const ATTEMPTS = 5;

/**
 * Checks a click against the record and the policy, and makes the one compare-and-set that is the decision. A click that
 * comes late or twice must not decide what came after it: `at` is when it was made.
 */
export const decide: Hop<'clicked'> = async (world, { click: received, at }) => {
  const { reason, ...rest } = received;
  const click: Click = { ...rest, ...(reason !== undefined && { reason: cut(reason) }) };
  const isFlip = click.choice === 'stop' || click.choice === 'resume';
  const outgoing = isFlip ? await flip(world, click, at) : await settle(world, click, at);
  for (const { fact } of outgoing) {
    if (fact.event === 'decided' || fact.event === 'refused') await record(world, fact);
  }
  return outgoing;
};

const record = (world: World, said: { click: Click; because: string; event: string }) =>
  world.store.append({ at: world.clock.now().toISOString(), kind: 'decision', text: JSON.stringify(said) });

async function settle(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = click.proposal === undefined ? undefined : await world.store.get('proposal', click.proposal);
    if (!row) return refused(click, `there is no proposal ${click.proposal ?? '(none named)'}`);
    const decision = refusalOf(world, row.item, click) ?? (await choose(world, row, click, at));
    if (decision) return decision;
  }
  throw new Error(`Proposal ${click.proposal} kept changing while a click was decided`);
}

/** An approval is judged by the policy of the plan that it names, everything else by that of the approved or riskiest one. */
function refusalOf(world: World, item: Proposal, click: Click): Outgoing[] | undefined {
  if (click.choice === 'approve') return undefined;
  const plan = planOf(item);
  const policy = plan ? policyForPlan(world, item.found, plan) : policyOf(world, item.found);
  return isApprover(world, policy, click.who) ? undefined : refused(click, notAllowed(policy, click.who));
}

function choose(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  switch (click.choice) {
    case 'approve':
      return approve(world, row, click);
    case 'reject':
      return end(world, row, click, { state: 'rejected' });
    case 'snooze':
      return snooze(world, row, click, at);
    case 'done':
      return done(world, row, click, at);
    case 'undo':
      return proposeUndo(world, row, click);
    case 'again':
    case 'diagnose':
      return again(world, row, click);
    case 'stop':
    case 'resume':
      throw new Error(`${click.choice} is decided for a cluster, not for a proposal`);
  }
}

async function end(
  world: World,
  row: Row<Proposal>,
  click: Click,
  to: { state: 'rejected' | 'snoozed'; set?: Partial<Proposal> },
): Promise<Decision> {
  const because = `${click.who}: ${click.reason ?? 'no reason given'}`;
  if (row.item.decidedBy === click.id) return [decided(row.item.id, click, because)];
  if (!isUndecided(row.item.state) || row.item.state === to.state) return refused(click, whyNot(world, row.item));
  const set = { ...to.set, decidedBy: click.id };
  const changed = await change(world, row, { state: to.state, because, who: click.who, set });
  return changed && [decided(row.item.id, click, because)];
}

/** The hour begins with the click: one that comes when it is over silences nothing. */
async function snooze(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  const until = Date.parse(at) + SNOOZE;
  if (until <= world.clock.now().getTime()) return refused(click, 'the hour for which you asked is over');
  return end(world, row, click, { state: 'snoozed', set: { remindAt: new Date(until).toISOString() } });
}

/** A person says that the step which waits for people is done: the run goes on, and looks for itself. */
async function done(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  const { item } = row;
  const because = `${click.who} says that it is done`;
  const told = [decided(item.id, click, because), { fact: { event: 'applying' as const, proposal: item.id } }];
  if (item.decidedBy === click.id) return told;
  const part = item.run.failed ? 'recovery' : 'steps';
  const records = item.run[part];
  const waits = records.at(-1);
  const step = planOf(item)?.[part === 'steps' ? 'steps' : 'onFailure'][records.length - 1];
  if (item.state !== 'applying' || step?.do !== 'ask' || waits?.is !== 'waiting' || at < waits.since) {
    return refused(click, 'no step of it waits for a person');
  }
  const changed = await change(world, row, {
    ...{ because, who: click.who, stage: 'done' },
    set: {
      run: { ...item.run, [part]: [...records.slice(0, -1), { ...waits, is: 'done' as const, because }] },
      ...{ decidedBy: click.id, dueAt: world.clock.now().toISOString() },
    },
  });
  return changed && told;
}

/** Looks at the mode again, and lets a new proposal of the same revision follow one that is over. */
async function again(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { id, state, cluster, found, undoes } = row.item;
  if (isRunning(state)) return refused(click, 'its run is under way');
  const isOver = !isUndecided(state);
  const undone = isOver && undoes !== undefined ? await world.store.get('proposal', undoes) : undefined;
  if (undone) return proposeUndo(world, undone, click);
  const because = `${click.who} asked to look again`;
  const set = isOver ? { again: click.who } : {};
  const changed = await change(world, row, { because, who: click.who, stage: 'again', set });
  const look: Outgoing = { fact: { event: 'observed', cluster, mode: found.mode, because, objects: [] } };
  return changed && [decided(id, click, because), look];
}

/** The emergency stop of a cluster: any approver of any tier may pull it, so that the right person need not be found first. */
async function flip(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  const cluster = click.cluster;
  if (cluster === undefined || !(await isKnown(world, cluster))) return refused(click, 'there is no such cluster');
  const tiers = (['low', 'medium', 'high'] as const).map((risk) => world.rules.policy({ cluster, mode: '*', risk }));
  const allowed = tiers.some((policy) => isApprover(world, policy, click.who));
  if (!allowed) return refused(click, `${click.who} is no approver of any plan on this cluster`);
  const row = await world.store.get('switch', cluster);
  const stopped = click.choice === 'stop';
  // A copy that comes late must not lift a stop that was pulled after it.
  if (row && at < row.item.at)
    return refused(click, `${row.item.who} ${row.item.stopped ? 'stopped' : 'resumed'} it since`);
  const flipped = { schema: 1 as const, id: cluster, stopped, who: click.who, at };
  const put = await world.store.put('switch', flipped, row?.version ?? 0);
  if (!put.ok) throw new Error(`The emergency stop of ${cluster} was changed by somebody else at the same time`);
  await record(world, { event: click.choice, click, because: click.reason ?? '' });
  return [{ fact: { event: stopped ? 'stopped' : 'resumed', cluster, who: click.who } }];
}

/** Also a cluster that is not connected now can be stopped: its runs go on once it is. */
const isKnown = async (world: World, cluster: string) =>
  world.clusters.has(cluster) || (await world.store.list('incident', { cluster })).length > 0;
