import { milliseconds, nameOf, type Step, type TouchingStep } from '../handler.ts';
import { type Image, imageId, type StepRecord } from '../model.ts';
import type { Guard, Touched } from '../ports/cluster.ts';
import { imageOf, isAnother, touchOf } from './dry-run.ts';
import { cut } from './fit.ts';
import { touching, untouched } from './marks.ts';
import { readBack } from './read-back.ts';
import { ask, note, type Outcome, type Run, stoppedBy } from './run.ts';

/** How often a touch is tried that loses on resourceVersion alone. */
const TRIES = 3;
/** For how long an object that cannot be read is asked again, and a lost answer is looked for. */
const PATIENCE = milliseconds('5m');
/** What the run has stopped must come back, also when the cluster could not be reached for hours. */
const RECOVERY_PATIENCE = milliseconds('24h');
/** A request that the API server has not answered within its `--request-timeout` of 60 s has no effect any more. */
const REQUEST_LIFE = milliseconds('90s');
const SOON = milliseconds('5s');

/** Carries out one touching step, once. The only code that changes a cluster. */
export async function touch(run: Run, step: TouchingStep, index: number): Promise<[Run, Outcome]> {
  const record = run.row.item.run[run.part][index];
  // What may have happened is found out first, also when the run was stopped: else recovery would not know of it.
  if (record?.is === 'started') return explain(run, step, index, record);
  const refusal = await mayNot(run, step);
  if (refusal) return [run, refusal];
  return write(run, step, index, TRIES);
}

/** What is asked right before each touch: whether runs are stopped, the goal is reached, the plan's guard holds. */
async function mayNot(run: Run, step: TouchingStep): Promise<Outcome | undefined> {
  const stopped = run.part === 'steps' ? await stoppedBy(run.world, run.cluster.id) : undefined;
  if (stopped) return { is: 'failed', because: stopped };
  if (step.do === 'call') {
    const goal = await ask(run, step.goal, step);
    if (goal.is === 'fixed') return { is: 'already-so', because: goal.because };
  }
  if (step.guard === undefined) return undefined;
  const guard = await ask(run, step.guard, step);
  return guard.is === 'fixed' ? undefined : { is: 'failed', because: `not touched: ${guard.because}` };
}

async function write(run: Run, step: TouchingStep, index: number, tries: number): Promise<[Run, Outcome]> {
  const at = run.world.clock.now();
  const first = sinceOf(run, index);
  const ready = await prepare(run, step, index, at);
  if ('is' in ready) return [run, ready];

  await keepImage(run, step, index, imageOf(ready.object), null);
  // The trace comes before the touch: after a crash between the two the next run reads back what happened.
  const because = `${step.do} ${nameOf(step.target)}: ${step.because}`;
  const traced = await note(run, index, { is: 'started', since: at.toISOString(), guard: ready.guard, because });
  await touching(traced, index);
  const touched = await guarded(traced, step, index, ready.guard);
  if (touched.is === 'applied' && touched.object) {
    await keepImage(traced, step, index, imageOf(ready.object), imageOf(touched.object));
  }
  if (touched.is === 'precondition-failed' && tries > 1) {
    const refusal = await mayNot(traced, step);
    return refusal ? [traced, refusal] : write(traced, step, index, tries - 1);
  }
  return settle(traced, step, index, touched, first);
}

/** The object as it stands and the guard made of it, or why there is nothing to touch. */
async function prepare(run: Run, step: TouchingStep, index: number, at: Date) {
  const read = await run.cluster.read(step.target);
  if (read.is === 'unreadable') return patient(run, index, read.because, { within: untilBack(run) });
  if (read.is === 'absent') {
    const because = `${nameOf(step.target)} is not there`;
    return { is: step.do === 'delete' ? 'already-so' : 'failed', because } satisfies Outcome;
  }
  const another = isAnother(step, read.guard);
  if (another) return { is: 'failed', because: another } satisfies Outcome;
  if (step.do === 'call') return { object: read.object, guard: read.guard };
  const dry = await run.cluster.dryRun(touchOf(step, read.guard, at));
  if (dry.is === 'already-so') {
    return { is: 'already-so', because: `${nameOf(step.target)} is so already` } satisfies Outcome;
  }
  if (dry.is === 'blocked') {
    const because = `the cluster refuses it: ${dry.because}`;
    return run.part === 'recovery' ? patient(run, index, because) : ({ is: 'failed', because } satisfies Outcome);
  }
  return { object: read.object, guard: read.guard };
}

async function guarded(run: Run, step: TouchingStep, index: number, guard: Guard): Promise<Touched> {
  const { world, cluster, row, part } = run;
  const { id, revision } = row.item;
  const subresource = step.do === 'call' ? step.subresource : undefined;
  const about = { proposal: id, revision, part, step: index + 1, do: step.do, subresource, target: step.target, guard };
  const say = (what: string) =>
    world.store.append({
      at: world.clock.now().toISOString(),
      kind: 'touch',
      text: JSON.stringify({ ...about, what }),
    });
  await say('about to');
  const touched = await cluster.touch(touchOf(step, guard, new Date(sinceOf(run, index))));
  await say('because' in touched ? `${touched.is}: ${cut(touched.because)}` : touched.is);
  return touched;
}

/** `first` is when the step was first tried: patience ends, however often the API server says "not now". */
async function settle(
  run: Run,
  step: TouchingStep,
  index: number,
  touched: Touched,
  first: string,
): Promise<[Run, Outcome]> {
  const name = `${step.do} ${nameOf(step.target)}`;
  // A definite "not now": the trace of an attempt that did not happen must not be read back later.
  const notNow = async (because: string, patience: Patience): Promise<[Run, Outcome]> => {
    await untouched(run, index);
    const waiting = await note(run, index, { is: 'waiting', since: first, because });
    return [waiting, patient(waiting, index, because, patience)];
  };
  switch (touched.is) {
    case 'applied':
      return [run, { is: 'done', because: `${name}: done` }];
    case 'rejected': {
      const because = `${name} was refused (${touched.code}): ${touched.because}`;
      return run.part === 'recovery' ? notNow(because, {}) : [run, { is: 'failed', because }];
    }
    case 'precondition-failed':
      return [run, { is: 'failed', because: `${name}: the object keeps changing under it (${touched.because})` }];
    case 'throttled':
      return notNow(touched.because, { after: touched.retryAfter * 1000, within: untilBack(run) });
    case 'unknown':
      return [run, { is: 'later', after: SOON, because: `${name}: no answer (${touched.because}), reading back` }];
  }
}

/** Finds out what became of a touch that was begun, by this process or by one that died. */
async function explain(run: Run, step: TouchingStep, index: number, record: StepRecord): Promise<[Run, Outcome]> {
  if (step.do === 'call') {
    const goal = await ask(run, step.goal, step);
    if (goal.is === 'fixed') return [run, { is: 'done', because: goal.because }];
    // A subresource cannot be guarded: it is never called twice, so all that is left is to look for its effect.
    const outcome = patient(run, index, goal.because);
    return [
      run,
      outcome.is === 'later' ? outcome : { is: 'unknown', because: `it may have been called: ${goal.because}` },
    ];
  }
  const found = await readBack(run.cluster, step, record);
  switch (found.is) {
    case 'took-effect':
      return tookEffect(run, step, index, found.because);
    case 'did-not':
    case 'not-yet':
      return tryAgain(run, step, index, found.is);
    case 'ask-again': {
      const outcome = patient(run, index, found.because, { within: untilBack(run) });
      return [run, outcome.is === 'later' ? outcome : { is: 'unknown', because: found.because }];
    }
    case 'cannot-tell':
      return [run, { is: 'unknown', because: found.because }];
  }
}

async function tryAgain(
  run: Run,
  step: TouchingStep,
  index: number,
  former: 'did-not' | 'not-yet',
): Promise<[Run, Outcome]> {
  const refusal = await mayNot(run, step);
  const [after, outcome] = refusal ? [run, refusal] : await write(run, step, index, TRIES);
  if (outcome.is === 'already-so') return tookEffect(after, step, index, outcome.because);
  // Where it is not tried again, the first request may still be on its way: "failed" is said once it cannot be.
  const age = run.world.clock.now().getTime() - Date.parse(sinceOf(run, index));
  return after === run && outcome.is === 'failed' && former === 'not-yet' && age < REQUEST_LIFE
    ? [run, { is: 'later', after: SOON, because: `${outcome.because}; an earlier request may still take effect` }]
    : [after, outcome];
}

/** A touch whose answer was lost left no after-image: what stands now is the nearest to it. */
async function tookEffect(run: Run, step: TouchingStep, index: number, because: string): Promise<[Run, Outcome]> {
  const row = await run.world.store.get('image', imageId(run.row.item.id, index));
  const read = await run.cluster.read(step.target);
  if (row && row.item.after === null && read.is === 'there') {
    await keepImage(run, step, index, row.item.before, imageOf(read.object));
  }
  return [run, { is: 'done', because }];
}

const sinceOf = (run: Run, index: number) =>
  run.row.item.run[run.part][index]?.since ?? run.world.clock.now().toISOString();

interface Patience {
  readonly after?: number;
  readonly within?: number;
}
const untilBack = ({ part }: Run) => (part === 'recovery' ? RECOVERY_PATIENCE : PATIENCE);

/** Later, while the step is not older than our patience; then it has failed. */
function patient(
  run: Run,
  index: number,
  because: string,
  { after = SOON, within = PATIENCE }: Patience = {},
): Outcome {
  const waited = run.world.clock.now().getTime() - Date.parse(sinceOf(run, index));
  return waited < within ? { is: 'later', after, because } : { is: 'failed', because };
}

async function keepImage(run: Run, step: Step, index: number, before: Image['before'], after: Image['after']) {
  if (run.part === 'recovery') return;
  const { id, cluster } = run.row.item;
  const image: Image = {
    ...{ schema: 1, id: imageId(id, index), cluster, proposal: id, step: index, target: step.target, before, after },
  };
  const row = await run.world.store.get('image', image.id);
  await run.world.store.put('image', image, row?.version ?? 0);
}
