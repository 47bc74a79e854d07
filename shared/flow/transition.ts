import { isRunning, isUndecided, type Principal, type Proposal, type Stage, SUCCESSORS } from '../model.ts';
import type { Row, Unless } from '../ports/store.ts';
import { cut } from './fit.ts';
import type { World } from './world.ts';

const TIMELINE_LIMIT = 200;

/** A change of a proposal: its next state (or the same one), and why. */
export interface Change {
  readonly state?: Proposal['state'];
  readonly because: string;
  readonly who?: Principal | undefined;
  /** What the timeline calls it, where that is not the state. */
  readonly stage?: string;
  readonly set?: Partial<Proposal>;
  readonly unless?: Unless;
}

/**
 * Writes a change of a proposal by compare-and-set, with its stage on the timeline. Undefined: somebody else changed the
 * proposal first. Throws on a transition that the state machine does not know.
 */
export async function change(
  world: World,
  { item, version }: Row<Proposal>,
  { state = item.state, because, who, stage, set, unless }: Change,
): Promise<Row<Proposal> | undefined> {
  if (state !== item.state && !SUCCESSORS[item.state].includes(state)) {
    throw new Error(`Proposal ${item.id} cannot go from ${item.state} to ${state}`);
  }
  const at = world.clock.now().toISOString();
  // What somebody asks of a run that is over says nothing of how it ended.
  const isEnded = state === item.state && !isUndecided(state) && !isRunning(state);
  const next: Proposal = {
    ...item,
    ...set,
    state,
    because: isEnded ? item.because : because,
    ...(state !== item.state && { changedAt: at }),
    timeline: extended(item.timeline, { at, is: stage ?? state, because: cut(because), ...(who && { who }) }),
  };
  const put = await world.store.put('proposal', next, version, unless);
  return put.ok ? { item: next, version: put.version } : undefined;
}

/** A stage that repeats itself, such as a wait that says how far it has come, takes one place: it must not push the others out. */
function extended(timeline: readonly Stage[], stage: Stage): Stage[] {
  const last = timeline.at(-1);
  if (last?.is !== stage.is || last.who || stage.who) return [...timeline, stage].slice(-TIMELINE_LIMIT);
  return last.because === stage.because ? [...timeline] : [...timeline.slice(0, -1), stage];
}
