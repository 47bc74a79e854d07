import { type Look, type Mode, milliseconds, type Plan, type Step } from '../handler.ts';
import type { Proposal, StepRecord } from '../model.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Row } from '../ports/store.ts';
import { cut } from './fit.ts';
import { pictureOf } from './picture.ts';
import { change } from './transition.ts';
import { clusterOf, type World } from './world.ts';

/** A run under way: the proposal as it was last written, and the plan that was worked out afresh. */
export interface Run {
  readonly world: World;
  readonly cluster: Cluster;
  /** Undefined where this Gleaner does not know it (any more): then no check can be asked. */
  readonly mode: Mode | undefined;
  readonly plan: Plan;
  readonly row: Row<Proposal>;
  /** Which list of the plan is being carried out: its steps, or after a failure what puts things right again. */
  readonly part: 'steps' | 'recovery';
}

/** What became of a step: over (`done`, `already-so`, `failed`, `unknown`), or to be looked at again after a while. */
export type Outcome =
  | { readonly is: 'done' | 'already-so' | 'failed' | 'unknown'; readonly because: string }
  | { readonly is: 'later'; readonly after: number; readonly because: string };

/** Somebody else has written the proposal: this delivery ends, and theirs goes on. */
export class Overtaken extends Error {}

export function runOf(world: World, row: Row<Proposal>, plan: Plan): Run {
  const part = row.item.run.failed ? 'recovery' : 'steps';
  const mode = world.modes.find(({ id }) => id === row.item.found.mode);
  return { world, cluster: clusterOf(world, row.item.cluster), mode, plan, row, part };
}

/** Asks a check of the mode about the present, of the approved finding. An undo asks none. */
export async function ask(run: Run, check: string, step: Step) {
  const { finding } = run.row.item.found;
  const asked = run.mode?.checks[check];
  if (!run.mode || !asked) return { is: 'failed' as const, because: `the mode has no check ${check}` };
  const look: Look = await pictureOf(run.world, run.cluster, run.mode);
  return asked(look, finding, step.target);
}

/** Why nothing may be touched on the cluster now: the emergency stop, or a configuration that only observes. */
export async function stoppedBy(world: World, id: string): Promise<string | undefined> {
  const row = await world.store.get('switch', id);
  if (row?.item.stopped) return `${row.item.who} stopped all runs on this cluster`;
  const { does, name } = clusterOf(world, id);
  return does === 'observe' ? `by the configuration in force now Gleaner only observes ${name}` : undefined;
}

/** Writes the record of a step, and with it the run's place on the timeline. Throws `Overtaken` where somebody was faster. */
export async function note(run: Run, index: number, record: StepRecord, set: Partial<Proposal> = {}): Promise<Run> {
  const { item } = run.row;
  const because = cut(record.because);
  const records = [...item.run[run.part]];
  records[index] = { ...record, because };
  const row = await change(run.world, run.row, {
    because,
    stage: `${run.part === 'steps' ? 'step' : 'recovery step'} ${index + 1}: ${record.is}`,
    set: { ...set, run: { ...item.run, [run.part]: records } },
  });
  if (!row) throw new Overtaken(item.id);
  return { ...run, row };
}

/** Clocks of two machines differ, and deliveries come a little early. */
const SLACK = milliseconds('2s');

/**
 * Whether another delivery of a run has promised to come back, at most `longest` from now: then this one is a copy of an
 * event that was thought lost or came twice, and ends, or each copy would go on polling for itself.
 */
export function isSurplus({ clock }: World, { dueAt }: Proposal, longest: number): boolean {
  const left = Date.parse(dueAt ?? '') - clock.now().getTime();
  return left > SLACK && left <= longest;
}
