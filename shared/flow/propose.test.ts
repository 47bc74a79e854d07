import { describe, expect, it } from 'vitest';
import { BROKEN, look, node, paintWorld } from '../../test/simulator/paint.ts';

const states = async (world: ReturnType<typeof paintWorld>) =>
  (await world.proposals()).map(({ state }) => state).sort();
const RED_TO_GREEN = node({ broken: 'true', colour: 'green' });

describe('propose', () => {
  it('opens one proposal however often the same thing is found', async () => {
    const world = paintWorld();
    await world.proposed();

    for (const fact of world.facts.filter(({ event }) => event === 'found')) world.publish({ fact }, { fact });
    await world.settle(1);

    expect(await states(world)).toEqual(['open']);
  });

  it('supersedes an open proposal in place when what the plan depends on changed', async () => {
    const world = paintWorld();
    const first = await world.proposed();

    world.cluster.set(RED_TO_GREEN);
    look(world);
    await world.settle(1);

    expect(await states(world)).toEqual(['open', 'superseded']);
    const [incident] = await world.store.list('incident');
    expect(incident?.item.proposal).not.toBe(first);
  });

  it('withdraws a proposal whose fault stayed away', async () => {
    const world = paintWorld();
    await world.proposed();

    world.cluster.set(node({}));
    look(world);
    await world.settle(5);

    expect(await states(world)).toEqual(['withdrawn']);
    expect((await world.store.list('incident')).map(({ item }) => item.state)).toEqual(['closed']);
  });

  it('opens a new proposal when a mended fault comes back', async () => {
    const world = paintWorld();
    await world.approve(await world.proposed());

    world.cluster.set(BROKEN);
    await world.proposed();

    expect(await states(world)).toEqual(['fixed', 'open']);
  });

  it('does not ask again for a day what was rejected', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.click({ choice: 'reject', proposal: id, reason: 'not tonight' });
    await world.settle(1);

    world.advance(23 * 3_600_000);
    look(world);
    await world.settle(1);
    expect(await states(world)).toEqual(['rejected']);

    world.advance(2 * 3_600_000);
    look(world);
    await world.settle(1);
    expect(await states(world)).toEqual(['open', 'rejected']);
  });

  it('proposes a rejected fault again at once when its revision changes', async () => {
    const world = paintWorld();
    world.click({ choice: 'reject', proposal: await world.proposed() });
    await world.settle(1);

    world.cluster.set(RED_TO_GREEN);
    look(world);
    await world.settle(1);

    expect(await states(world)).toEqual(['open', 'rejected']);
  });

  it('waits to be asked before it proposes once more what has failed', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.fault = () => 'rejected';
    await world.approve(id);
    look(world);
    await world.settle(1);
    expect(await states(world)).toEqual(['failed']);

    world.advance(1_000);
    world.click({ choice: 'again', proposal: id });
    await world.settle(1);

    expect(await states(world)).toEqual(['failed', 'open']);
  });

  it.each([
    ['expired', 'none'],
    ['failed', 'rejected'],
  ] as const)('proposes anew a fault that went away and came back after its card had %s', async (state, fault) => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.fault = () => fault;
    if (state === 'failed') await world.approve(id);
    else world.tick(25 * 3_600_000);
    await world.settle(1);
    world.cluster.set(node({}));
    look(world);
    await world.settle(5);

    world.cluster.set(BROKEN);
    look(world);
    await world.settle(5);

    expect(await states(world)).toEqual([state, 'open'].sort());
  });

  it('does not ask again by itself because somebody asked before the run', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.click({ choice: 'diagnose', proposal: id });
    await world.settle(0);
    world.cluster.fault = () => 'rejected';

    await world.approve(id);
    world.advance(60_000);
    look(world);
    await world.settle(1);

    expect(await states(world)).toEqual(['failed']);
  });

  it('keeps one card while a storm grows, and lets those of its objects make way', async () => {
    const world = paintWorld();
    const single = await world.proposed();
    for (let count = 2; count <= 9; count++) {
      const name = `node${count}`;
      world.cluster.set(node({ broken: 'true' }, { metadata: { name, uid: `u-${name}` } }));
      look(world);
      await world.settle(2);
      world.advance(60_000);
    }

    const proposals = await world.proposals();

    expect(proposals.filter(({ state }) => state === 'open')).toMatchObject([{ found: { finding: { storm: true } } }]);
    expect(proposals.filter(({ found }) => found.subject.name === 'kube-system')).toHaveLength(1);
    expect(proposals.find(({ id }) => id === single)).toMatchObject({
      state: 'withdrawn',
      because: expect.stringMatching(/one of many by now/),
    });
  });
});
