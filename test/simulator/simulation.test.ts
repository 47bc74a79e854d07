import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { touches } from '../../shared/handler.ts';
import { SUCCESSORS } from '../../shared/model.ts';
import type { Fault } from './cluster.ts';
import { BROKEN, look, node, type Painted, paintWorld, vm } from './paint.ts';

/** How many random schedules; each is a life of one incident with people, faults, crashes and duplicates. */
const SCHEDULES = Number(process.env.GLEANER_SCHEDULES ?? 2_000);

const FAULTS: readonly Fault[] = ['none', 'lost-answer', 'lost-request', 'late', 'throttled', 'raced', 'rejected'];

/** What happens next: a delivery (perhaps twice, perhaps with a crash), time, a person, or somebody else's write. */
const Happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ what: fc.constant('deliver' as const), pick: fc.nat(20), twice: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('time' as const), ms: fc.integer({ min: 1_000, max: 40_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('fault' as const), fault: fc.constantFrom(...FAULTS) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('crash' as const), at: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('look' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('approve' as const),
      who: fc.constantFrom('local:ann', 'local:bob', 'local:eve'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reject' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('stop' as const, 'resume' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('write' as const),
      as: fc.constantFrom('beat', 'paint', 'heal', 'break', 'busy', 'vm'),
    }),
  },
);
type Happening = typeof Happening extends fc.Arbitrary<infer T> ? T : never;

function write({ cluster, now }: Painted, as: string) {
  const beat = now().toISOString();
  const annotations = { sound: 'yes', beat };
  if (as === 'beat') cluster.set({ ...(cluster.object('Node node1') ?? BROKEN) });
  if (as === 'paint') cluster.set(node({ broken: 'true', colour: beat }, { metadata: { annotations } }));
  if (as === 'heal') cluster.set(node({ colour: 'red' }, { metadata: { annotations } }));
  if (as === 'break') cluster.set(node({ broken: 'true', colour: 'red' }, { metadata: { annotations } }));
  if (as === 'busy')
    cluster.set(node({ broken: 'true', colour: 'red' }, { metadata: { annotations: { busy: 'yes' } } }));
  if (as === 'vm') cluster.set(vm('vm1'));
}

/** Lets the process die at its `at`-th write from now on; everything it had begun is delivered again. */
function crashing(world: Painted) {
  let left = 0;
  const step = () => {
    if (left > 0 && --left === 0) throw new Error('killed');
  };
  const { put } = world.store;
  const { touch } = world.cluster;
  Object.assign(world.store, {
    put: async (...given: Parameters<typeof put>) => {
      step();
      const said = await put(...given);
      step();
      return said;
    },
  });
  Object.assign(world.cluster, {
    touch: async (given: Parameters<typeof touch>[0]) => {
      step();
      await mayTouch(world, given);
      const said = await touch(given);
      step();
      return said;
    },
  });
  return (at: number) => {
    left = at;
  };
}

/** I1: every touch belongs to a run that allowed people approved, at the revision that it carries, and is one of its steps. */
async function mayTouch(world: Painted, touch: Parameters<Painted['cluster']['touch']>[0]) {
  const runs = (await world.proposals()).filter(({ state }) => state === 'applying');
  const run = runs.find(({ found, plan: id }) => {
    const plan = found.offer.plans.find((one) => one.id === id);
    return [...(plan?.steps ?? []), ...(plan?.onFailure ?? [])].some(
      (step) => touches(step) && step.target.name === touch.target.name && step.do === touch.do,
    );
  });
  expect(run, 'a touch without a run').toBeDefined();
  expect(run?.approvals.map(({ who }) => who)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^local:(ann|bob)$/)]),
  );
  expect(run?.approvals.some(({ who }) => who === 'local:eve')).toBe(false);
}

async function happen(world: Painted, happening: Happening, crash: (at: number) => void) {
  switch (happening.what) {
    case 'deliver':
      await world.deliver((count) => happening.pick % count, happening.twice);
      return;
    case 'time':
      world.advance(happening.ms);
      return;
    case 'fault': {
      let pending: Fault | undefined = happening.fault;
      world.cluster.fault = () => {
        const fault = pending ?? 'none';
        pending = undefined;
        return fault;
      };
      return;
    }
    case 'crash':
      crash(happening.at);
      return;
    case 'look':
      look(world);
      return;
    case 'write':
      write(world, happening.as);
      return;
    case 'stop':
    case 'resume':
      world.click({ choice: happening.what, cluster: 'cluster-1' });
      return;
    case 'approve':
    case 'reject': {
      const open = (await world.proposals()).find(({ state }) => state === 'open');
      if (!open) return;
      const who = happening.what === 'approve' ? happening.who : 'local:bob';
      world.click({ choice: happening.what, proposal: open.id, who, plan: 'mend', revision: open.revision });
    }
  }
}

/** How often each run's effect on an object was had: by the run's own steps, and by its recovery. */
function effectsPerRun(world: Painted, runs: number) {
  const counts = new Map<string, number>();
  for (const { touch, object } of world.cluster.effects) {
    const key = `${touch.do === 'call' ? touch.subresource : touch.do} ${object}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) expect(count, `${key} by ${runs} runs`).toBeLessThanOrEqual(runs);
}

/** What must hold of every record when all is said and done. */
async function judge(world: Painted) {
  const proposals = await world.proposals();
  const running = proposals.filter(({ state }) => ['approved', 'applying', 'applied'].includes(state));
  expect(
    running.map(({ id, state, because }) => `${id} ${state}: ${because}`),
    'I4: no run stays under way',
  ).toEqual([]);
  expect(proposals.filter(({ state }) => state === 'open').length, 'one incident, one open card').toBeLessThanOrEqual(
    1,
  );
  for (const { timeline, run, state, verdict } of proposals) {
    const path = timeline.map(({ is }) => is).filter((is) => is in SUCCESSORS);
    for (const [index, is] of path.entries()) {
      const next = path[index + 1];
      const follows = next === undefined || next === is ? [] : [next];
      expect(SUCCESSORS, 'the state machine').toMatchObject({ [is]: expect.arrayContaining(follows) });
    }
    expect(
      run.steps.every(({ is }) => is !== 'started' || run.failed),
      'no step is left begun',
    ).toBe(true);
    if (state === 'fixed') expect(verdict?.is, 'I5: fixed was read back').toBe('fixed');
  }
  effectsPerRun(world, proposals.filter(({ plan }) => plan !== undefined).length);
}

async function live(life: readonly Happening[]) {
  const world = paintWorld();
  const crash = crashing(world);
  await world.proposed();
  for (const happening of life) await happen(world, happening, crash);

  crash(0);
  world.cluster.settleLate();
  world.cluster.fault = () => 'none';
  world.click({ choice: 'resume', cluster: 'cluster-1' });
  await world.settle(30);
  for (let sweep = 0; sweep < 2; sweep++) {
    world.publish({ fact: { event: 'ticked', since: world.now().toISOString() } });
    await world.settle(30);
  }
  await judge(world);
}

describe('Any life of an incident', () => {
  it(`keeps the invariants over ${SCHEDULES} random schedules`, async () => {
    await fc.assert(fc.asyncProperty(fc.array(Happening, { minLength: 20, maxLength: 80 }), live), {
      numRuns: SCHEDULES,
    });
  }, 240_000);
});
