import { milliseconds, nameOf, type Step, type TouchingStep, touches } from '../handler.ts';
import { isRunning, type Outgoing, type Run as Progress, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { isCurrent, SUPERSEDED } from './approve.ts';
import { cut } from './fit.ts';
import { begun, failing, known, spend, stepOver, whyNoRun } from './marks.ts';
import { approversOf, policyForPlan } from './permit.ts';
import { ask, isSurplus, note, type Outcome, Overtaken, type Run, runOf, stoppedBy } from './run.ts';
import { approvedPlan, lookAgain, shownPlan } from './second-look.ts';
import { beginsUntil, unproven } from './signed.ts';
import { touch } from './touch.ts';
import { change } from './transition.ts';
import { planOf } from './undo.ts';
import type { Hop, World } from './world.ts';

/** How often a wait looks again, and the longest that a run lets pass between two looks. */
const POLL = milliseconds('10s');
const LONGEST = milliseconds('60s');

/** Claims an approved proposal, looks again, and carries its plan out one step at a time; goes on where a run stands. */
export const apply: Hop<'decided' | 'applying'> = async (world, event) => {
  if (event.event === 'decided' && event.click.choice !== 'approve') return [];
  const row = await world.store.get('proposal', event.proposal);
  if (row && isRunning(row.item.state) && isSurplus(world, row.item, LONGEST)) return [];
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
        return await over(world, row.item);
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

/** What is over is so for good, also where its record is turned back. */
async function over(world: World, item: Proposal): Promise<readonly Outgoing[]> {
  // A forged record must not use up a decision that stands.
  if (item.decision && (await unproven(world, item)) === undefined) await spend(world, item);
  return [outcomeOf(item)];
}

async function begin(world: World, row: Row<Proposal>): Promise<readonly Outgoing[]> {
  const refusal =
    (await unproven(world, row.item)) ??
    (await unapproved(world, row.item)) ??
    (await stoppedBy(world, row.item.cluster));
  const again = refusal === undefined ? await lookAgain(world, row.item) : { is: 'stale' as const, because: refusal };
  const because = again.is === 'stale' ? again.because : await begun(world, row.item);
  if (because !== undefined) {
    const stale = await change(world, row, { state: 'stale', because });
    return stale ? over(world, stale.item) : [];
  }
  const claimed = await change(world, row, {
    state: 'applying',
    because: 'looked again: it is still what was approved',
  });
  return claimed ? proceed(world, claimed) : [];
}

/** Membership is asked again, now: who has left the approvers since the click has not approved. */
async function unapproved(world: World, item: Proposal): Promise<string | undefined> {
  if (world.clock.now().getTime() >= Date.parse(beginsUntil(item)))
    return 'it could not begin within an hour of its approval: approve it anew';
  if (!(await isCurrent(world, item))) return SUPERSEDED;
  const plan = planOf(item);
  if (!plan) return 'the approved plan is not part of the offer';
  if (world.isEdge) return undefined;
  const policy = policyForPlan(world, item.found, plan);
  const asked = { ...world, directory: world.directory.fresh() };
  const { people, doubts } = await approversOf(asked, policy, item, plan.id);
  if (people.size < policy.quorum && doubts > 0)
    throw new Error(`Whether ${doubts} of those who approved ${item.id} still may cannot be found out now`);
  return people.size >= policy.quorum
    ? undefined
    : `${people.size} of ${policy.quorum} needed approvals count by the policy in force now: ask for them again`;
}

async function proceed(world: World, row: Row<Proposal>): Promise<readonly Outgoing[]> {
  const opened = await reopened(world, row);
  if (!('plan' in opened)) return opened;
  let run = opened;
  for (;;) {
    const index = nextOf(run);
    const step = (run.part === 'steps' ? run.plan.steps : run.plan.onFailure)[index];
    if (!step) return finish(run);
    const before = await known(run, index);
    const [after, outcome] = before ? [run, before] : await carryOut(run, step, index);
    if (outcome.is === 'later') return later(after, index, outcome);
    run = await noted(after, index, outcome);
  }
}

/** The run as its record has it, where that can be believed; else what is told of its end. */
async function reopened(world: World, row: Row<Proposal>): Promise<Run | readonly Outgoing[]> {
  const no = (await unproven(world, row.item)) ?? (await whyNoRun(world, row.item));
  if (no !== undefined) {
    // Not one step more, nor one back: nothing that its record says can be believed.
    const ended = await change(world, row, { state: 'unknown', because: `the run stopped where it stood: ${no}` });
    return ended ? over(world, ended.item) : [];
  }
  const again = await approvedPlan(world, row.item);
  // A Gleaner that plans otherwise by now carries out no further step, and still puts right what the former one did.
  const plan = again.is === 'same' ? again.plan : shownPlan(row.item);
  if (!plan) {
    const failed = await change(world, row, { state: 'failed', because: 'its record is not what was approved' });
    return failed ? over(world, failed.item) : [];
  }
  const run = runOf(world, row, plan);
  if (again.is === 'same' || run.part === 'recovery') return run;
  const hasBegun = row.item.run.steps.some(({ is }) => is === 'started');
  return fail(run, row.item.run, {
    is: hasBegun ? 'unknown' : 'failed',
    because: `the run stopped: ${again.because}`,
  });
}

/** Carries one step out. Recovery puts right only what the run has touched. */
async function carryOut(run: Run, step: Step, index: number): Promise<[Run, Outcome]> {
  if (run.part === 'recovery' && !wasTouched(run, step)) {
    return [run, { is: 'already-so', because: `the run had not touched ${nameOf(step.target)}` }];
  }
  return touches(step) ? touch(run, step, index) : [run, await wait(run, step, index)];
}

const isOver = (is: string) => is === 'done' || is === 'already-so' || is === 'failed' || is === 'unknown';

/** The first step that is not over. */
function nextOf({ row, part }: Run): number {
  const records = row.item.run[part];
  const open = records.findIndex((record) => !isOver(record.is));
  return open < 0 ? records.length : open;
}

/** Whether a touch of the run had, or may have had, an effect on the step's target. To have waited for it is no touch. */
function wasTouched({ row, plan }: Run, step: Step): boolean {
  return plan.steps.some((one, index) => {
    const is = row.item.run.steps[index]?.is;
    const hadEffect = is === 'started' || is === 'done' || is === 'unknown';
    return hadEffect && touches(one) && nameOf(one.target) === nameOf(step.target);
  });
}

async function wait(run: Run, step: Exclude<Step, TouchingStep>, index: number): Promise<Outcome> {
  const stopped = run.part === 'steps' ? await stoppedBy(run.world, run.cluster.id) : undefined;
  if (stopped) return { is: 'failed', because: stopped };
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
async function later(run: Run, index: number, outcome: Extract<Outcome, { is: 'later' }>) {
  const { world, row } = run;
  const now = world.clock.now().getTime();
  const after = Math.min(outcome.after, LONGEST);
  const record = row.item.run[run.part][index];
  const is = record?.is === 'started' ? 'started' : 'waiting';
  const since = record?.since ?? new Date(now).toISOString();
  const dueAt = new Date(now + after).toISOString();
  await note(run, index, { ...record, is, since, because: outcome.because }, { dueAt });
  return [{ fact: { event: 'applying' as const, proposal: row.item.id }, after }];
}

async function noted(run: Run, index: number, outcome: Exclude<Outcome, { is: 'later' }>): Promise<Run> {
  const { run: progress } = run.row.item;
  const former = progress[run.part][index];
  const since = former?.since ?? run.world.clock.now().toISOString();
  const record = { ...former, is: outcome.is, since, because: cut(outcome.because) };
  if (run.part === 'recovery' || (outcome.is !== 'failed' && outcome.is !== 'unknown')) {
    await stepOver(run, index);
    return note(run, index, record);
  }
  const steps = [...progress.steps];
  steps[index] = record;
  return fail(run, { ...progress, steps }, { is: outcome.is, because: `step ${index + 1}: ${record.because}` });
}

/** One write ends the steps and begins the recovery: between two, a crash would let the run go on behind the failed step. */
async function fail(run: Run, progress: Progress, failed: NonNullable<Progress['failed']>): Promise<Run> {
  await failing(run);
  const row = await change(run.world, run.row, {
    stage: run.plan.onFailure.length > 0 ? 'putting things right' : 'stopping',
    because: failed.because,
    set: { run: { ...progress, failed } },
  });
  if (!row) throw new Overtaken(run.row.item.id);
  return { ...run, row, part: 'recovery' };
}

/** The objects whose last recovery step did not succeed. */
function notPutRight({ plan, row }: Run): string[] {
  const last = new Map(plan.onFailure.map((step, index) => [nameOf(step.target), row.item.run.recovery[index]?.is]));
  return [...last].filter(([, is]) => is === 'failed' || is === 'unknown').map(([name]) => name);
}

async function finish(run: Run): Promise<readonly Outgoing[]> {
  const { failed } = run.row.item.run;
  const names = notPutRight(run);
  const because = failed
    ? `${failed.because}${names.length > 0 ? `; not put right: ${names.join(', ')}` : ''}`
    : 'every step was carried out';
  const state = failed ? failed.is : 'applied';
  const ended = await change(run.world, run.row, {
    state,
    because,
    set: { dueAt: run.world.clock.now().toISOString() },
  });
  return ended ? over(run.world, ended.item) : [];
}
