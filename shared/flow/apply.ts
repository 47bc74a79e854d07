import { milliseconds, nameOf, type Step, type TouchingStep, touches } from '../handler.ts';
import type { Outgoing, Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { countPeople, policyForPlan } from './permit.ts';
import { ask, note, type Outcome, Overtaken, type Run, runOf } from './run.ts';
import { approvedPlan, lookAgain } from './second-look.ts';
import { touch } from './touch.ts';
import { change } from './transition.ts';
import { planOf } from './undo.ts';
import type { Hop, World } from './world.ts';

/** How often a wait looks again. */
const POLL = milliseconds('10s');

/** Claims an approved proposal, looks again, and carries its plan out one step at a time; goes on where a run stands. */
export const apply: Hop<'decided' | 'applying'> = async (world, event) => {
  const row = await world.store.get('proposal', event.proposal);
  try {
    switch (row?.item.state) {
      case 'approved':
        return await begin(world, row);
      case 'applying':
        return await proceed(world, row);
      case 'applied':
      case 'stale':
      case 'failed':
      case 'unknown':
        return [outcomeOf(row.item)];
      default:
        return [];
    }
  } catch (error) {
    if (error instanceof Overtaken) return [];
    throw error;
  }
};

/** What is to be told of a run that is over. A crash between writing and publishing it is healed by telling it again. */
function outcomeOf({ id, state, because }: Proposal): Outgoing {
  switch (state) {
    case 'stale':
    case 'failed':
    case 'unknown':
      return { fact: { event: state, proposal: id, because } };
    default:
      return { fact: { event: 'applied', proposal: id } };
  }
}

async function begin(world: World, row: Row<Proposal>): Promise<readonly Outgoing[]> {
  const refusal = (await stoppedBy(world, row.item)) ?? unapproved(world, row.item);
  const again = refusal === undefined ? await lookAgain(world, row.item) : { is: 'stale' as const, because: refusal };
  if (again.is === 'stale') {
    const stale = await change(world, row, { state: 'stale', because: again.because });
    return stale ? [outcomeOf(stale.item)] : [];
  }
  const claimed = await change(world, row, {
    state: 'applying',
    because: 'looked again: it is still what was approved',
  });
  return claimed ? proceed(world, claimed) : [];
}

/** Membership is asked again, now: who has left the approvers since the click has not approved. */
function unapproved(world: World, item: Proposal): string | undefined {
  const plan = planOf(item);
  if (!plan) return 'the approved plan is not part of the offer';
  const policy = policyForPlan(world, item.found, plan);
  const approvals = item.approvals.filter((one) => one.plan === plan.id);
  const people = countPeople(world, policy, approvals);
  return people >= policy.quorum
    ? undefined
    : `${people} of ${policy.quorum} needed approvals count by the policy in force now: ask for them again`;
}

async function stoppedBy(world: World, { cluster }: Proposal): Promise<string | undefined> {
  const row = await world.store.get('switch', cluster);
  return row?.item.stopped ? `${row.item.who} stopped all runs on this cluster` : undefined;
}

async function proceed(world: World, row: Row<Proposal>): Promise<readonly Outgoing[]> {
  const again = await approvedPlan(world, row.item);
  if (again.is === 'stale') {
    const failed = await change(world, row, { state: 'failed', because: `the run stopped: ${again.because}` });
    return failed ? [outcomeOf(failed.item)] : [];
  }
  let run = runOf(world, row, again.plan);
  for (;;) {
    const index = nextOf(run);
    const step = (run.part === 'steps' ? run.plan.steps : run.plan.onFailure)[index];
    if (!step) return finish(run);
    const [after, outcome] = await carryOut(run, step, index);
    if (outcome.is === 'later') return later(after, index, outcome);
    run = await noted(after, index, outcome);
  }
}

/** Carries one step out, or says why not. Recovery puts right only what the run has touched, and is never stopped. */
async function carryOut(run: Run, step: Step, index: number): Promise<[Run, Outcome]> {
  if (run.part === 'recovery' && !wasTouched(run, step)) {
    return [run, { is: 'already-so', because: `the run had not touched ${nameOf(step.target)}` }];
  }
  const stopped = run.part === 'steps' ? await stoppedBy(run.world, run.row.item) : undefined;
  if (stopped) return [run, { is: 'failed', because: stopped }];
  return touches(step) ? touch(run, step, index) : [run, await wait(run, step, index)];
}

const isOver = (is: string) => is === 'done' || is === 'already-so' || is === 'failed' || is === 'unknown';

/** The first step that is not over. */
function nextOf({ row, part }: Run): number {
  const records = row.item.run[part];
  const open = records.findIndex((record) => !isOver(record.is));
  return open < 0 ? records.length : open;
}

function wasTouched({ row, plan }: Run, step: Step): boolean {
  return plan.steps.some(({ target }, index) => {
    const is = row.item.run.steps[index]?.is;
    return nameOf(target) === nameOf(step.target) && (is === 'started' || is === 'done' || is === 'unknown');
  });
}

async function wait(run: Run, step: Exclude<Step, TouchingStep>, index: number): Promise<Outcome> {
  const since = run.row.item.run[run.part][index]?.since;
  const verdict = step.until === undefined ? undefined : await ask(run, step.until, step);
  if (verdict?.is === 'fixed') return { is: 'done', because: verdict.because };
  if (verdict?.is === 'failed') return { is: 'failed', because: verdict.because };
  const waited = since === undefined ? 0 : run.world.clock.now().getTime() - Date.parse(since);
  const left = milliseconds(step.deadline) - waited;
  const because = verdict?.because ?? (step.do === 'ask' ? step.what : step.because);
  if (left <= 0) return { is: 'failed', because: `waited ${step.deadline} in vain: ${because}` };
  return { is: 'later', after: Math.min(POLL, left), because };
}

/** Ends this delivery; the run goes on with the next one. A step's first wait leaves its beginning on record. */
async function later(run: Run, index: number, { after, because }: Extract<Outcome, { is: 'later' }>) {
  const { world, row } = run;
  const now = world.clock.now().getTime();
  const dueAt = new Date(now + after).toISOString();
  const record = row.item.run[run.part][index];
  const is = record?.is === 'started' ? 'started' : 'waiting';
  if (record?.is !== is || record.because !== because) {
    const since = record?.since ?? new Date(now).toISOString();
    await note(run, index, { ...record, is, since, because }, { dueAt });
  }
  return [{ fact: { event: 'applying' as const, proposal: row.item.id }, after }];
}

async function noted(run: Run, index: number, outcome: Exclude<Outcome, { is: 'later' }>): Promise<Run> {
  const record = run.row.item.run[run.part][index];
  const since = record?.since ?? run.world.clock.now().toISOString();
  const after = await note(run, index, { ...record, is: outcome.is, since, because: outcome.because });
  if (run.part === 'recovery' || (outcome.is !== 'failed' && outcome.is !== 'unknown')) return after;
  const failed = { is: outcome.is, because: `step ${index + 1}: ${outcome.because}` };
  const stopped = await change(run.world, after.row, {
    stage: run.plan.onFailure.length > 0 ? 'putting things right' : 'stopping',
    because: failed.because,
    set: { run: { ...after.row.item.run, failed } },
  });
  if (!stopped) throw new Overtaken(after.row.item.id);
  return { ...after, row: stopped, part: 'recovery' };
}

async function finish(run: Run): Promise<readonly Outgoing[]> {
  const { failed, recovery } = run.row.item.run;
  const left = run.plan.onFailure.filter((_step, index) => ['failed', 'unknown'].includes(recovery[index]?.is ?? ''));
  const names = [...new Set(left.map((step) => nameOf(step.target)))];
  const because = failed
    ? `${failed.because}${names.length > 0 ? `; not put right: ${names.join(', ')}` : ''}`
    : 'every step was carried out';
  const state = failed ? failed.is : 'applied';
  const ended = await change(run.world, run.row, {
    state,
    because,
    set: { dueAt: run.world.clock.now().toISOString() },
  });
  return ended ? [outcomeOf(ended.item)] : [];
}
