import { describe, expect, it } from 'vitest';
import { merged } from '../../test/simulator/cluster.ts';
import { BROKEN, paintWorld, vm } from '../../test/simulator/paint.ts';
import { POLICY } from '../../test/simulator/world.ts';
import { isObject } from '../handler.ts';

type World = ReturnType<typeof paintWorld>;
const only = async (world: World) => {
  const [proposal, ...more] = await world.proposals();
  if (!proposal || more.length > 0) throw new Error('there must be one proposal');
  return proposal;
};
const verbs = ({ cluster }: World) =>
  cluster.effects.map(({ touch }) => (touch.do === 'call' ? touch.subresource : touch.do));
/** Changes the node as somebody else would. */
function change({ cluster }: World, patch: Parameters<typeof merged>[1]) {
  const after = merged(cluster.object('Node node1'), patch);
  if (isObject(after)) cluster.set(after);
}

describe('apply', () => {
  it('carries out every step in order, once, and verifies over the window', async () => {
    const world = paintWorld();

    await world.approve(await world.proposed());

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    const proposal = await only(world);
    expect(proposal.state).toBe('fixed');
    expect(proposal.run.steps.map(({ is }) => is)).toEqual(['done', 'done', 'done', 'done']);
    const [applied, fixed] = ['applied', 'fixed'].map(
      (is) => proposal.timeline.find((stage) => stage.is === is)?.at ?? '',
    );
    expect(Date.parse(fixed ?? '') - Date.parse(applied ?? '')).toBeGreaterThanOrEqual(30_000);
  });

  it('passes over a step whose goal is reached already', async () => {
    const world = paintWorld([BROKEN, vm('vm1', false)]);

    await world.approve(await world.proposed());

    expect(verbs(world)).toEqual(['patch', 'start']);
    expect((await only(world)).run.steps.map(({ is }) => is)).toEqual(['already-so', 'done', 'done', 'done']);
  });

  it('guards each patch with the uid and resourceVersion of its own look', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, { metadata: { annotations: { beat: '1' } } });

    await world.approve(id);

    const patch = world.cluster.effects.find(({ touch }) => touch.do === 'patch')?.touch;
    expect(patch).toMatchObject({ guard: { uid: 'u-node1', resourceVersion: expect.stringMatching(/^\d+$/) } });
  });

  it.each([
    ['changed', { metadata: { labels: { colour: 'green' } } }, /colour is now "green"/],
    ['healed by itself', { metadata: { labels: { broken: null } } }, /no longer so: the label is not set/],
    ['replaced under its name', { metadata: { uid: 'u-other' } }, /node1 was deleted and made again/],
  ])('refuses as stale, in words, what has %s since the proposal', async (_what, patch, because) => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, patch);

    await world.approve(id, 'local:ann', 1);

    const proposal = (await world.proposals()).find((one) => one.id === id);
    expect(proposal).toMatchObject({ state: 'stale', because: expect.stringMatching(because) });
    expect(world.cluster.effects).toEqual([]);
  });

  it('refuses as stale what was deleted', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.set(undefined, 'Node node1');

    await world.approve(id, 'local:ann', 1);

    expect((await world.proposals()).find((one) => one.id === id)).toMatchObject({
      state: 'stale',
      because: expect.stringMatching(/no longer so/),
    });
  });

  it('asks the policy again at the moment of the touch', async () => {
    const approvers: (typeof POLICY.approvers)[number][] = ['local:ann'];
    const world = paintWorld(undefined, { policy: { ...POLICY, approvers } });
    const id = await world.proposed();
    const row = await world.store.get('proposal', id);
    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision: row?.item.revision ?? '' });
    await world.deliver();

    approvers[0] = 'local:bob';
    await world.settle(1);

    expect(await only(world)).toMatchObject({
      state: 'stale',
      because: expect.stringMatching(/0 of 1 needed approvals/),
    });
    expect(world.cluster.effects).toEqual([]);
  });

  it('stops before a touch whose guard does not hold, and starts again what it stopped', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, { metadata: { annotations: { busy: 'yes' } } });

    await world.approve(id);

    expect(verbs(world)).toEqual(['stop', 'start']);
    expect(await only(world)).toMatchObject({
      state: 'failed',
      because: expect.stringMatching(/somebody works on node1/),
    });
  });

  it('starts nothing in recovery that stood still before the run', async () => {
    const world = paintWorld([BROKEN, vm('vm1', false), vm('vm2')]);
    const id = await world.proposed();
    change(world, { metadata: { annotations: { busy: 'yes' } } });

    await world.approve(id);

    expect(world.cluster.effects.map(({ object }) => object)).toEqual(['Vm default/vm2', 'Vm default/vm2']);
    expect(world.cluster.object('Vm default/vm1')?.spec).toEqual({ running: false });
  });

  it('names what recovery could not put right', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, { metadata: { annotations: { busy: 'yes' } } });
    let touches = 0;
    world.cluster.fault = () => (++touches > 1 ? 'rejected' : 'none');

    await world.approve(id);

    expect(await only(world)).toMatchObject({
      state: 'failed',
      because: expect.stringMatching(/not put right: Vm default\/vm1/),
    });
  });

  it('fails after the deadline of a wait, and starts again what it stopped', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, { metadata: { annotations: { sound: 'no' } } });

    await world.approve(id);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect(await only(world)).toMatchObject({ state: 'failed', because: expect.stringMatching(/waited 2m in vain/) });
  });

  it('stops all runs of the cluster at once, and still puts things right', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    change(world, { metadata: { annotations: { sound: 'no' } } });
    await world.approve(id, 'local:ann', 1);
    expect((await only(world)).state).toBe('applying');

    world.click({ choice: 'stop', cluster: 'cluster-1', who: 'local:bob' });
    await world.settle(1);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect(await only(world)).toMatchObject({
      state: 'failed',
      because: expect.stringMatching(/local:bob stopped all runs/),
    });
  });

  it('is refused while the cluster is stopped, until somebody resumes', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.click({ choice: 'stop', cluster: 'cluster-1' });
    await world.settle(0);

    await world.approve(id, 'local:ann', 1);

    expect(await world.proposals()).toContainEqual(
      expect.objectContaining({ id, state: 'stale', because: expect.stringMatching(/stopped all runs/) }),
    );
    expect(world.cluster.effects).toEqual([]);
  });

  it.each([
    ['whose answer was lost', 'lost-answer'],
    ['whose request was lost', 'lost-request'],
    ['that took effect late', 'late'],
    ['that was throttled', 'throttled'],
    ['that lost a race on resourceVersion', 'raced'],
  ] as const)('has one effect of a patch %s', async (_what, fault) => {
    const world = paintWorld([BROKEN]);
    const id = await world.proposed();
    let touches = 0;
    world.cluster.fault = () => (touches++ === 0 ? fault : 'none');

    await world.approve(id, 'local:ann', 0);
    world.cluster.settleLate();
    await world.settle(20);

    expect(verbs(world)).toEqual(['patch']);
    expect((await only(world)).state).toBe('fixed');
  });

  it('never calls a subresource twice, and says "unknown" when the answer was lost and no effect is seen', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    let touches = 0;
    world.cluster.fault = () => (touches++ === 0 ? 'lost-request' : 'none');

    await world.approve(id);

    expect(touches).toBe(1);
    expect(await only(world)).toMatchObject({
      state: 'unknown',
      because: expect.stringMatching(/may have been called/),
    });
  });

  it('finishes a run that died at any write, with each effect once', async () => {
    for (let point = 1; point <= 60; point++) {
      const world = paintWorld();
      const id = await world.proposed();
      let writes = 0;
      const { put } = world.store;
      const touch = world.cluster.touch;
      const crash = () => {
        if (++writes === point) throw new Error('killed');
      };
      Object.assign(world.store, {
        put: async (...given: Parameters<typeof put>) => {
          crash();
          const said = await put(...given);
          crash();
          return said;
        },
      });
      Object.assign(world.cluster, {
        touch: async (given: Parameters<typeof touch>[0]) => {
          crash();
          const said = await touch(given);
          crash();
          return said;
        },
      });

      await world.approve(id);

      const { state } = await only(world);
      // A call that was begun and shows no effect is never made again: such a run ends unknown, and recovery starts the VM.
      const effects = state === 'unknown' ? [[], ['stop', 'patch', 'start']] : [['stop', 'patch', 'start']];
      expect.soft(effects, `killed at write ${point}: ${state}`).toContainEqual(verbs(world));
      expect.soft(['fixed', 'unknown'], `killed at write ${point}: ${state}`).toContain(state);
    }
  });
});
