import { describe, expect, it } from 'vitest';
import { BROKEN, node, paintWorld, vm } from '../../test/simulator/paint.ts';

type World = ReturnType<typeof paintWorld>;
const HOUR = 3_600_000;
const verbs = ({ cluster }: World) =>
  cluster.effects.map(({ touch }) => (touch.do === 'call' ? touch.subresource : touch.do));
const only = async (world: World) => (await world.proposals())[0];
const count = ({ facts }: World, name: string) => facts.filter(({ event }) => event === name).length;
const UNSOUND = node({ broken: 'true', colour: 'red' }, { metadata: { annotations: { sound: 'no' } } });

describe('A run that comes and goes', () => {
  it('polls once, however often its event was delivered', async () => {
    const world = paintWorld([UNSOUND]);
    await world.approve(await world.proposed(), 'local:ann', 0);
    const id = (await only(world))?.id ?? '';
    for (let copy = 0; copy < 8; copy++) world.publish({ fact: { event: 'applying', proposal: id } });
    const before = count(world, 'applying');

    await world.settle(1);

    expect(count(world, 'applying') - before).toBeLessThanOrEqual(7);
  });

  it('is sent again now and then while its cluster is away, and not at each tick', async () => {
    const world = paintWorld([UNSOUND]);
    await world.approve(await world.proposed(), 'local:ann', 0);
    world.cluster.down = true;
    const before = count(world, 'applying');

    for (let tick = 0; tick < 4 * 180; tick++) world.tick();
    await world.settle(0);

    expect(count(world, 'applying') - before).toBeGreaterThan(20);
    expect(count(world, 'applying') - before).toBeLessThan(50);
  });

  it('ends within two days where its cluster is gone for good, and says what it leaves behind', async () => {
    const world = paintWorld([UNSOUND, vm('vm1')]);
    await world.approve(await world.proposed(), 'local:ann', 1);

    Object.assign(world.world, { clusters: new Map() });
    for (let hour = 0; hour < 50; hour++) {
      world.tick(HOUR);
      await world.deliver((count) => count - 1);
    }

    expect(await only(world)).toMatchObject({
      state: 'unknown',
      because: expect.stringMatching(/could not go on for two days.*look at Vm default\/vm1/),
    });
    expect(count(world, 'unknown')).toBe(1);
  });

  it('ends a verification that can never look', async () => {
    const world = paintWorld([BROKEN]);
    await world.approve(await world.proposed(), 'local:ann', 0);
    expect((await only(world))?.state).toBe('applied');

    world.cluster.down = true;
    for (let hour = 0; hour < 50; hour++) {
      world.tick(HOUR);
      await world.deliver((count) => count - 1);
    }

    expect(await only(world)).toMatchObject({ state: 'failed', because: expect.stringMatching(/given up/) });
  });

  it('does not begin hours after its approval', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.down = true;
    await world.approve(id, 'local:ann', 0);

    world.advance(2 * HOUR);
    world.cluster.down = false;
    await world.settle(1);

    expect((await world.store.get('proposal', id))?.item).toMatchObject({
      state: 'stale',
      because: expect.stringMatching(/could not begin within an hour/),
    });
    expect(verbs(world)).toEqual([]);
  });

  it.each([
    ['before it begins', 0, 'stale', []],
    ['while it waits', 1, 'failed', ['stop', 'patch', 'start']],
  ] as const)('ends when the cluster is set to "observe" %s', async (_when, minutes, state, effects) => {
    const world = paintWorld([UNSOUND, vm('vm1')]);
    const id = await world.proposed();
    const revision = (await only(world))?.revision ?? '';
    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision });
    await world.deliver();
    if (minutes > 0) await world.settle(minutes);

    Object.assign(world.cluster, { does: 'observe' });
    await world.settle(5);

    expect((await world.store.get('proposal', id))?.item).toMatchObject({
      state,
      because: expect.stringMatching(/only observes simulated/),
    });
    expect(verbs(world)).toEqual(effects);
  });

  it('fails in the end however often the API server says "not now"', async () => {
    const world = paintWorld([BROKEN]);
    world.cluster.fault = () => 'throttled';

    await world.approve(await world.proposed(), 'local:ann', 20);

    expect((await only(world))?.state).toBe('failed');
  });

  it('does not wait for as long as a strange Retry-After says', async () => {
    const world = paintWorld([BROKEN]);
    const id = await world.proposed();
    const { touch } = world.cluster;
    let asked = 0;
    Object.assign(world.cluster, {
      touch: async (given: Parameters<typeof touch>[0]) =>
        asked++ === 0 ? { is: 'throttled', retryAfter: 86_400, because: 'not now' } : touch(given),
    });

    await world.approve(id);

    expect((await only(world))?.state).toBe('fixed');
  });

  it.each([
    ['restart', 'patch'],
    ['delete', 'delete'],
  ])('has one effect of a %s whose answer was lost, beside a clock that is behind', async (also, verb) => {
    const labels = { broken: 'true', colour: 'red', also };
    const world = paintWorld([node(labels), vm('scrap-node1', false, {})]);
    world.cluster.behind = 60_000;
    const id = await world.proposed();
    let touches = 0;
    world.cluster.fault = () => (++touches === 2 ? 'lost-answer' : 'none');

    await world.approve(id);

    expect(verbs(world)).toEqual(['patch', verb]);
    expect((await only(world))?.state).toBe('fixed');
  });

  it('keeps its approval on the timeline through a wait that says something new each time', async () => {
    const world = paintWorld([UNSOUND]);
    const [mode] = world.world.modes;
    let looks = 0;
    const sound = async () => ({ is: looks++ < 500 ? 'waiting' : 'fixed', because: `${looks} of 500` }) as const;
    Object.assign(world.world, { modes: [{ ...mode, checks: { ...mode?.checks, sound } }] });
    const id = await world.proposed();
    await world.approve(id, 'local:ann', 2);

    const timeline = (await only(world))?.timeline ?? [];

    expect(timeline.length).toBeLessThan(12);
    expect(timeline).toContainEqual(expect.objectContaining({ is: 'approved', who: 'local:ann' }));
    expect(timeline.at(-1)?.because).toMatch(
      /^(?:1[1-3]|waited 2m in vain: 1[1-3]|step 2: waited 2m in vain: 1[1-3]) of 500/,
    );
  });
});
