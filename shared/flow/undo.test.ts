import { describe, expect, it } from 'vitest';
import { BROKEN, node, paintWorld } from '../../test/simulator/paint.ts';

async function fixed() {
  const world = paintWorld([BROKEN]);
  const id = await world.proposed();
  await world.approve(id);
  return { world, id };
}
const state = async (world: ReturnType<typeof paintWorld>, id: string) =>
  (await world.store.get('proposal', id))?.item.state;

describe('undo', () => {
  it('is a plan of its own that puts back what the run changed, with its own approval and verification', async () => {
    const { world, id } = await fixed();

    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);
    const undo = (await world.proposals()).find(({ undoes }) => undoes === id);
    expect(undo).toMatchObject({ state: 'open' });
    expect(world.cluster.object('Node node1')?.metadata).toMatchObject({ labels: { colour: 'red' } });

    await world.approve(undo?.id ?? '');

    expect(world.cluster.object('Node node1')?.metadata).toMatchObject({ labels: { broken: 'true' } });
    expect(await state(world, undo?.id ?? '')).toBe('fixed');
    expect(await state(world, id)).toBe('reverted');
  });

  it('is refused while the condition that the plan names does not hold', async () => {
    const { world, id } = await fixed();
    world.cluster.set(node({ colour: 'red' }, { metadata: { annotations: { sound: 'no' } } }));

    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);

    expect(world.facts.at(-1)).toMatchObject({
      event: 'refused',
      because: expect.stringMatching(/not yet: its controller has not said/),
    });
  });

  it('touches nothing where somebody changed since what the run wrote', async () => {
    const { world, id } = await fixed();
    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);
    const undo = (await world.proposals()).find(({ undoes }) => undoes === id);
    const before = world.cluster.effects.length;

    world.cluster.set(node({ colour: 'red', broken: 'maybe' }));
    await world.approve(undo?.id ?? '');

    expect(world.cluster.effects).toHaveLength(before);
    expect(await state(world, undo?.id ?? '')).toMatch(/stale|superseded/);
  });

  it('is refused for what was never carried out', async () => {
    const world = paintWorld();
    const id = await world.proposed();

    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);

    expect(world.facts.at(-1)).toMatchObject({
      event: 'refused',
      because: expect.stringMatching(/nothing of it was carried out/),
    });
  });
});
