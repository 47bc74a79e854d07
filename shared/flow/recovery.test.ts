import { describe, expect, it } from 'vitest';
import { paintMode } from '../../test/simulator/mode.ts';
import { BROKEN, node, paintWorld, vm } from '../../test/simulator/paint.ts';
import type { Mode, Plan } from '../handler.ts';

type World = ReturnType<typeof paintWorld>;
const MINUTE = 60_000;
const verbs = ({ cluster }: World) =>
  cluster.effects.map(({ touch }) => (touch.do === 'call' ? touch.subresource : touch.do));
const only = async (world: World) => (await world.proposals())[0];
const broken = (annotations: Record<string, string>) =>
  node({ broken: 'true', colour: 'red' }, { metadata: { annotations } });

/** The pretend mode with another plan. */
const planning = (change: (plan: Plan) => Partial<Plan>): Mode => ({
  ...paintMode,
  plan: (finding) => {
    const offer = paintMode.plan(finding);
    return { ...offer, plans: offer.plans.map((plan) => ({ ...plan, ...change(plan) })) };
  },
});

/** A run that stands in its wait, with vm1 stopped. */
async function waiting(world = paintWorld([broken({ sound: 'no' }), vm('vm1')])) {
  await world.approve(await world.proposed(), 'local:ann', 1);
  expect(verbs(world)).toEqual(['stop', 'patch']);
  return world;
}

describe('Recovery', () => {
  it('starts again what a touch with a lost answer stopped, when the emergency stop comes before it was read back', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.fault = () => (verbs(world).length === 0 ? 'lost-answer' : 'none');
    await world.approve(id, 'local:ann', 0);

    world.click({ choice: 'stop', cluster: 'cluster-1' });
    await world.deliver((count) => count - 1);
    await world.settle(20);

    expect(verbs(world)).toEqual(['stop', 'start']);
    expect(await only(world)).toMatchObject({ state: 'failed', because: expect.stringMatching(/stopped all runs/) });
  });

  it('says "failed" only when a stop that is still on its way can have no effect any more', async () => {
    const patching = planning(({ steps }) => ({ steps: steps.filter((step) => step.do === 'patch') }));
    const world = paintWorld([BROKEN], { mode: patching });
    const id = await world.proposed();
    world.cluster.fault = () => 'late';
    await world.approve(id, 'local:ann', 0);
    world.click({ choice: 'stop', cluster: 'cluster-1' });
    await world.deliver((count) => count - 1);

    await world.settle(20);

    expect(verbs(world)).toEqual(['patch']);
    expect((await only(world))?.run.steps.map(({ is }) => is)).toEqual(['done']);
  });

  it('starts nothing that stood still before the run, though the run waited for it', async () => {
    const waits = planning(({ steps }) => ({
      steps: steps.flatMap((step) =>
        step.do === 'call' && step.subresource === 'stop'
          ? [step, { do: 'wait', target: step.target, until: 'stopped', deadline: '1m', because: 'it takes a moment' }]
          : [step],
      ),
    }));
    const world = paintWorld([broken({ busy: 'yes' }), vm('vm1', false)], { mode: waits });

    await world.approve(await world.proposed());

    expect(verbs(world)).toEqual([]);
    expect(await only(world)).toMatchObject({ state: 'failed' });
  });

  it.each([
    ['plans otherwise', [planning(() => ({ title: 'Mend it better' }))]],
    [
      'cannot read the finding any more',
      [
        {
          ...paintMode,
          plan: () => {
            throw new Error('another shape');
          },
        },
      ],
    ],
    ['does not know the mode', []],
  ])('runs when a Gleaner takes over in the middle that %s', async (_what, modes) => {
    const world = await waiting();

    Object.assign(world.world, { modes });
    await world.settle(20);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect(await only(world)).toMatchObject({ state: 'failed', because: expect.stringMatching(/the run stopped: /) });
  });

  it('starts again what may have been stopped when a Gleaner took over that does not know the mode', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.fault = () => (verbs(world).length === 0 ? 'lost-answer' : 'none');
    await world.approve(id, 'local:ann', 0);

    Object.assign(world.world, { modes: [] });
    await world.settle(20);

    expect(verbs(world)).toEqual(['stop', 'start']);
    expect((await only(world))?.state).toBe('unknown');
  });

  it('starts again what a stop without an answer has stopped, though nobody could see that', async () => {
    const stopped = async () => ({ is: 'waiting' as const, because: 'its status says nothing' });
    const world = paintWorld(undefined, { mode: { ...paintMode, checks: { ...paintMode.checks, stopped } } });
    world.cluster.fault = () => (verbs(world).length === 0 ? 'lost-answer' : 'none');

    await world.approve(await world.proposed());

    expect(verbs(world)).toEqual(['stop', 'start']);
    expect((await only(world))?.state).toBe('unknown');
  });

  it.each([
    ['nothing of the cluster can be reached', 'look'],
    ['its objects cannot be read', 'read'],
  ] as const)('waits for hours while %s', async (_what, lost) => {
    const world = await waiting();
    const { read } = world.cluster;
    if (lost === 'look') world.cluster.down = true;
    else Object.assign(world.cluster, { read: async () => ({ is: 'unreadable', because: 'no route' }) });
    world.click({ choice: 'stop', cluster: 'cluster-1' });
    for (let minute = 0; minute < 150; minute++) {
      world.tick(MINUTE);
      await world.settle(0);
    }
    expect((await only(world))?.state).toBe('applying');

    Object.assign(world.cluster, { down: false, read });
    await world.settle(20);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect((await only(world))?.state).toBe('failed');
  });

  it('tries a refused start again before it says that it failed', async () => {
    const world = await waiting();
    let refusals = 3;
    world.cluster.fault = () => (refusals-- > 0 ? 'rejected' : 'none');

    await world.settle(20);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect((await only(world))?.because).not.toMatch(/not put right/);
  });

  it('never goes on behind the step that failed, wherever the process died', async () => {
    for (let point = 1; point <= 40; point++) {
      const world = paintWorld([broken({ busy: 'yes', sound: 'yes' }), vm('vm1')]);
      const id = await world.proposed();
      let writes = 0;
      const { put } = world.store;
      Object.assign(world.store, {
        put: async (...given: Parameters<typeof put>) => {
          const said = await put(...given);
          if (++writes === point) throw new Error('killed');
          return said;
        },
      });

      await world.approve(id);

      expect.soft(verbs(world), `killed after write ${point}`).not.toContain('patch');
      const run = await only(world);
      expect.soft(['failed', 'unknown'], `killed after write ${point}`).toContain(run?.state);
      expect
        .soft(
          run?.timeline.map(({ is }) => is),
          `killed after write ${point}`,
        )
        .not.toContain('applied');
      // A start that was begun and shows no effect is not made again: then the outcome names the VM.
      const isBack = Object(world.cluster.object('Vm default/vm1')?.spec).running === true;
      expect.soft(isBack || run?.because.includes('Vm default/vm1'), `killed after write ${point}`).toBe(true);
    }
  });
});
