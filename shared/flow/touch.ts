import { nameOf, type Step, type TouchingStep } from '../handler.ts';
import type { Image, StepRecord } from '../model.ts';
import type { Guard, Touched } from '../ports/cluster.ts';
import { imageOf, isAnother, touchOf } from './dry-run.ts';
import { readBack } from './read-back.ts';
import { ask, note, type Outcome, type Run } from './run.ts';

/** How often a touch is tried that loses on resourceVersion alone. */
const TRIES = 3;
/** For how long an object that cannot be read is asked again, and a lost answer is looked for. */
const PATIENCE = 300_000;
const SOON = 5_000;

/** Carries out one touching step, once. The only code that changes a cluster. */
export async function touch(run: Run, step: TouchingStep, index: number): Promise<[Run, Outcome]> {
  const record = run.row.item.run[run.part][index];
  if (record?.is === 'started') return explain(run, step, index, record);
  const refusal = await mayNot(run, step);
  if (refusal) return [run, refusal];
  return write(run, step, index, TRIES);
}

/** What is asked right before the touch: the guard that the plan names, and whether the goal is reached already. */
async function mayNot(run: Run, step: TouchingStep): Promise<Outcome | undefined> {
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
  const ready = await prepare(run, step, index, at);
  if ('is' in ready) return [run, ready];

  await keepImage(run, step, index, imageOf(ready.object), null);
  // The trace comes before the touch: after a crash between the two the next run reads back what happened.
  const because = `${step.do} ${nameOf(step.target)}: ${step.because}`;
  const traced = await note(run, index, { is: 'started', since: at.toISOString(), guard: ready.guard, because });
  const touched = await guarded(traced, step, ready.guard, at);
  if (touched.is === 'applied' && touched.object) {
    await keepImage(traced, step, index, imageOf(ready.object), imageOf(touched.object));
  }
  if (touched.is === 'precondition-failed' && tries > 1) {
    const refusal = await mayNot(traced, step);
    return refusal ? [traced, refusal] : write(traced, step, index, tries - 1);
  }
  return settle(traced, step, index, touched);
}

/** The object as it stands and the guard made of it, or why there is nothing to touch. */
async function prepare(run: Run, step: TouchingStep, index: number, at: Date) {
  const read = await run.cluster.read(step.target);
  if (read.is === 'unreadable') return patient(run, index, read.because);
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
    return { is: 'failed', because: `the cluster refuses it: ${dry.because}` } satisfies Outcome;
  }
  return { object: read.object, guard: read.guard };
}

async function guarded(run: Run, step: TouchingStep, guard: Guard, at: Date): Promise<Touched> {
  const { world, cluster, row } = run;
  const { id, revision } = row.item;
  const say = (what: string) =>
    world.store.append({
      at: world.clock.now().toISOString(),
      kind: 'touch',
      text: JSON.stringify({ proposal: id, revision, do: step.do, target: step.target, guard, what }),
    });
  await say('about to');
  const touched = await cluster.touch(touchOf(step, guard, at));
  await say('because' in touched ? `${touched.is}: ${touched.because}` : touched.is);
  return touched;
}

async function settle(run: Run, step: TouchingStep, index: number, touched: Touched): Promise<[Run, Outcome]> {
  const name = `${step.do} ${nameOf(step.target)}`;
  switch (touched.is) {
    case 'applied':
      return [run, { is: 'done', because: `${name}: done` }];
    case 'rejected':
      return [run, { is: 'failed', because: `${name} was refused (${touched.code}): ${touched.because}` }];
    case 'precondition-failed':
      return [run, { is: 'failed', because: `${name}: the object keeps changing under it (${touched.because})` }];
    case 'throttled': {
      // A definite "not now": the trace of an attempt that did not happen must not be read back later.
      const waiting: StepRecord = { is: 'waiting', since: sinceOf(run, index), because: touched.because };
      return [await note(run, index, waiting), await patient(run, index, touched.because, touched.retryAfter * 1000)];
    }
    case 'unknown':
      return [run, { is: 'later', after: SOON, because: `${name}: no answer (${touched.because}), reading back` }];
  }
}

/** Finds out what became of a touch that was begun, by this process or by one that died. */
async function explain(run: Run, step: TouchingStep, index: number, record: StepRecord): Promise<[Run, Outcome]> {
  const { world, cluster } = run;
  if (step.do === 'call') {
    const goal = await ask(run, step.goal, step);
    if (goal.is === 'fixed') return [run, { is: 'done', because: goal.because }];
    // A subresource cannot be guarded: it is never called twice, so all that is left is to look for its effect.
    const outcome = await patient(run, index, goal.because);
    return [
      run,
      outcome.is === 'later' ? outcome : { is: 'unknown', because: `it may have been called: ${goal.because}` },
    ];
  }
  const found = await readBack(cluster, step, record, world.clock.now());
  switch (found.is) {
    case 'took-effect':
      await keepWhatStands(run, step, index);
      return [run, { is: 'done', because: found.because }];
    case 'did-not': {
      const refusal = await mayNot(run, step);
      return refusal ? [run, refusal] : write(run, step, index, TRIES);
    }
    case 'ask-again': {
      const outcome = await patient(run, index, found.because);
      return [run, outcome.is === 'later' ? outcome : { is: 'unknown', because: found.because }];
    }
    case 'cannot-tell':
      return [run, { is: 'unknown', because: found.because }];
  }
}

const sinceOf = (run: Run, index: number) =>
  run.row.item.run[run.part][index]?.since ?? run.world.clock.now().toISOString();

/** Later, while the step is not older than our patience; then it has failed. */
async function patient(run: Run, index: number, because: string, after = SOON): Promise<Outcome> {
  const waited = run.world.clock.now().getTime() - Date.parse(sinceOf(run, index));
  return waited < PATIENCE ? { is: 'later', after, because } : { is: 'failed', because };
}

async function keepImage(run: Run, step: Step, index: number, before: Image['before'], after: Image['after']) {
  if (run.part === 'recovery') return;
  const { id, cluster } = run.row.item;
  const image: Image = {
    ...{ schema: 1, id: `${id}/${index}`, cluster, proposal: id, step: index, target: step.target, before, after },
  };
  const row = await run.world.store.get('image', image.id);
  await run.world.store.put('image', image, row?.version ?? 0);
}

/** A touch whose answer was lost left no after-image: what stands now is the nearest to it. */
async function keepWhatStands(run: Run, step: TouchingStep, index: number): Promise<void> {
  const row = await run.world.store.get('image', `${run.row.item.id}/${index}`);
  const read = await run.cluster.read(step.target);
  if (row && row.item.after === null && read.is === 'there') {
    await keepImage(run, step, index, row.item.before, imageOf(read.object));
  }
}
