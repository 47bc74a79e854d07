import type { Proposal } from '../model.ts';
import type { RunNotes } from '../ports/seal.ts';
import type { Outcome, Run } from './run.ts';
import { beginsUntil, isSaidDone, sealOf } from './signed.ts';
import type { World } from './world.ts';

/*
 * How far a run has come, as one number that only grows. A step that is over counts a thousand; each touch of the next one
 * that is begun counts one, and one more once it is known to have done nothing. The recovery counts from `RECOVERY`.
 * Who can write the store can write the record of a run, and cannot write these.
 */
const STEP = 1_000;
const RECOVERY = 10_000 * STEP;
const OVER = 1_000_000 * STEP;

const markOf = (part: Run['part'], index: number) => (part === 'steps' ? 0 : RECOVERY) + index * STEP;
/** Whether a touch of the step at `mark` was begun, and is not known to have done nothing. */
const isBegun = (reached: number, mark: number) => (reached - mark) % 2 === 1;

const noted = (item: Proposal) => ({ cluster: item.cluster, proposal: item.id, until: beginsUntil(item) });
const notesOf = (world: World): RunNotes | undefined => sealOf(world).notes;
const raise = async (world: World, item: Proposal, to: number) => notesOf(world)?.raise(noted(item), to);

/** Notes that a run begins. Answers why it may not: a decision is carried out once, whatever its record says. */
export async function begun(world: World, item: Proposal): Promise<string | undefined> {
  const before = (await raise(world, item, 0)) ?? 0;
  return before === 0 ? undefined : 'the cluster remembers that this decision was carried out before: approve it anew';
}

/** Notes that a decision can begin no run any more. */
export const spend = (world: World, item: Proposal): Promise<unknown> => raise(world, item, OVER);

/** Why a run that the record says is under way is none; undefined: it is. */
export async function whyNoRun(world: World, item: Proposal): Promise<string | undefined> {
  const notes = notesOf(world);
  if (!notes) return undefined;
  const reached = await notes.reached(noted(item));
  if (reached === undefined) return 'the cluster knows of no such run: somebody changed the record';
  return reached >= OVER ? 'the cluster remembers the end of this run: somebody changed the record' : undefined;
}

/**
 * What is known of a step before it is looked at; undefined: nothing, it is the next one. A step's end is noted before it
 * is recorded, a touch after it: where the process died between the two, the record is one behind, and never ahead.
 */
export async function known(run: Run, index: number): Promise<Outcome | undefined> {
  const { world, row, part } = run;
  const reached = await notesOf(world)?.reached(noted(row.item));
  if (reached === undefined) return undefined;
  const mark = markOf(part, index);
  if (part === 'steps' && reached >= RECOVERY)
    return { is: 'unknown', because: 'the run had failed before, and its record does not say at what' };
  if (reached >= mark + STEP) return { is: 'done', because: 'the cluster remembers that it was carried out' };
  if (isBegun(reached, mark) && row.item.run[part][index]?.is !== 'started')
    return { is: 'unknown', because: 'the cluster remembers that it was begun, and its record does not: look at it' };
  const left = part === 'steps' ? await leftOut(run, Math.floor(reached / STEP), index) : undefined;
  return left === undefined
    ? undefined
    : { is: 'unknown', because: `step ${left + 1} was not carried out, though its record says so` };
}

/** The first step from one to another that neither was carried out nor is said to be done by a person. */
async function leftOut({ world, row: { item }, plan }: Run, from: number, to: number): Promise<number | undefined> {
  for (let index = from; index < to; index++) {
    const isAsked = plan.steps[index]?.do === 'ask';
    if (!isAsked || !(await isSaidDone(sealOf(world), item, 'steps', index, item.run.steps[index]))) return index;
  }
  return undefined;
}

/** Notes that a step is about to be touched, after its record says so. */
export const touching = (run: Run, index: number): Promise<void> => tried(run, index, false);

/** Notes that the touch is known to have done nothing, before its record says so: it may be tried again. */
export const untouched = (run: Run, index: number): Promise<void> => tried(run, index, true);

async function tried({ world, row: { item }, part }: Run, index: number, from: boolean): Promise<void> {
  const notes = notesOf(world);
  if (!notes) return;
  const mark = markOf(part, index);
  const reached = Math.max(mark, (await notes.reached(noted(item))) ?? mark);
  if (isBegun(reached, mark) === from) await notes.raise(noted(item), reached + 1);
}

/** Notes that a step is over, before its record says so. */
export const stepOver = ({ world, row, part }: Run, index: number): Promise<unknown> =>
  raise(world, row.item, markOf(part, index + 1));

/** Notes that a run has failed: what is left of it puts right what it did. */
export const failing = ({ world, row }: Run): Promise<unknown> => raise(world, row.item, RECOVERY);
