import { type Click, isRunning, isUndecided, type Outgoing, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { approve } from './approve.ts';
import { type Decision, decided, refused, whyNot } from './decision.ts';
import { isApprover, notAllowed } from './permit.ts';
import { policyOf } from './propose.ts';
import { change } from './transition.ts';
import { proposeUndo } from './undo.ts';
import type { Hop, World } from './world.ts';

/** For how long a snoozed card stays silent. */
const SNOOZE = 3_600_000;
const ATTEMPTS = 5;

/** Checks a click against the record and the policy, and makes the one compare-and-set that is the decision. */
export const decide: Hop<'clicked'> = async (world, { click }) => {
  const outgoing =
    click.choice === 'stop' || click.choice === 'resume' ? await flip(world, click) : await settle(world, click);
  for (const { fact } of outgoing) {
    if (fact.event === 'decided' || fact.event === 'refused') await record(world, fact);
  }
  return outgoing;
};

const record = (world: World, said: { click: Click; because: string; event: string }) =>
  world.store.append({ at: world.clock.now().toISOString(), kind: 'decision', text: JSON.stringify(said) });

async function settle(world: World, click: Click): Promise<readonly Outgoing[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = click.proposal === undefined ? undefined : await world.store.get('proposal', click.proposal);
    if (!row) return refused(click, `there is no proposal ${click.proposal ?? '(none named)'}`);
    const policy = policyOf(world, row.item.found);
    if (!isApprover(world, policy, click.who)) return refused(click, notAllowed(policy, click.who));
    const decision = await choose(world, row, click);
    if (decision) return decision;
  }
  throw new Error(`Proposal ${click.proposal} kept changing while a click was decided`);
}

function choose(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  switch (click.choice) {
    case 'approve':
      return approve(world, row, click);
    case 'reject':
      return end(world, row, click, { state: 'rejected' });
    case 'snooze':
      return end(world, row, click, {
        state: 'snoozed',
        set: { remindAt: new Date(world.clock.now().getTime() + SNOOZE).toISOString() },
      });
    case 'done':
      return done(world, row, click);
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

/** A person says that the step which waits for people is done: the run goes on, and looks for itself. */
async function done(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const plan = item.found.offer.plans.find((one) => one.id === item.plan);
  const index = item.run.steps.length - 1;
  const waits = item.run.steps[index];
  if (item.state !== 'applying' || plan?.steps[index]?.do !== 'ask' || waits?.is !== 'waiting') {
    return refused(click, 'no step of it waits for a person');
  }
  const because = `${click.who} says that it is done`;
  const steps = [...item.run.steps.slice(0, -1), { ...waits, is: 'done' as const, because }];
  const changed = await change(world, row, {
    because,
    who: click.who,
    stage: 'done',
    set: { run: { ...item.run, steps } },
  });
  return changed && [decided(item.id, click, because), { fact: { event: 'applying', proposal: item.id } }];
}

/** Looks at the mode again, and lets a new proposal of the same revision follow a closed one. */
async function again(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { id, state, cluster, found } = row.item;
  if (isRunning(state)) return refused(click, 'its run is under way');
  const because = `${click.who} asked to look again`;
  const changed = await change(world, row, { because, who: click.who, stage: 'again', set: { again: click.who } });
  const look: Outgoing = { fact: { event: 'observed', cluster, mode: found.mode, because, objects: [] } };
  return changed && [decided(id, click, because), look];
}

/** The emergency stop of a cluster: any approver of any tier may pull it, so that the right person need not be found first. */
async function flip(world: World, click: Click): Promise<readonly Outgoing[]> {
  const cluster = click.cluster;
  if (cluster === undefined || !world.clusters.has(cluster)) return refused(click, 'there is no such cluster');
  const tiers = (['low', 'medium', 'high'] as const).map((risk) => world.rules.policy({ cluster, mode: '*', risk }));
  const allowed = tiers.some((policy) => isApprover(world, policy, click.who));
  if (!allowed) return refused(click, `${click.who} is no approver of any plan on this cluster`);
  const row = await world.store.get('switch', cluster);
  const at = world.clock.now().toISOString();
  const stopped = click.choice === 'stop';
  const put = await world.store.put(
    'switch',
    { schema: 1, id: cluster, stopped, who: click.who, at },
    row?.version ?? 0,
  );
  if (!put.ok) throw new Error(`The emergency stop of ${cluster} was changed by somebody else at the same time`);
  await record(world, { event: click.choice, click, because: click.reason ?? '' });
  return [{ fact: { event: stopped ? 'stopped' : 'resumed', cluster, who: click.who } }];
}
