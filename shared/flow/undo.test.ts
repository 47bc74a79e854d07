import { describe, expect, it } from 'vitest';
import { paintMode } from '../../test/simulator/mode.ts';
import { BROKEN, look, node, paintWorld } from '../../test/simulator/paint.ts';
import type { Json, JsonObject, Patch, Step } from '../handler.ts';

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

  it('is refused where the image of a step is gone: half an undo would be worse than none', async () => {
    const { world, id } = await fixed();
    const { get } = world.store;
    const forgetful: typeof get = async (table, key) => (table === 'image' ? undefined : get(table, key));
    Object.assign(world.store, { get: forgetful });

    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);

    expect(world.facts.at(-1)).toMatchObject({
      event: 'refused',
      because: expect.stringMatching(/not kept for so long/),
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

  it('can be asked for again after its proposal was rejected', async () => {
    const { world, id } = await fixed();
    const undos = async () => (await world.proposals()).filter(({ undoes }) => undoes === id);
    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);
    const [first] = await undos();
    world.click({ choice: 'reject', proposal: first?.id ?? '' });
    await world.settle(0);

    world.advance(60_000);
    world.click({ choice: 'again', proposal: first?.id ?? '' });
    await world.settle(0);

    expect((await undos()).map(({ state }) => state).sort()).toEqual(['open', 'rejected']);
  });

  it('opens one proposal however often it is asked for', async () => {
    const { world, id } = await fixed();

    for (const who of ['local:ann', 'local:bob'] as const) world.click({ choice: 'undo', proposal: id, who });
    await world.settle(0);

    expect((await world.proposals()).filter(({ undoes }) => undoes === id)).toHaveLength(1);
    expect(world.facts.filter(({ event }) => event === 'decided')).toHaveLength(3);
  });

  /** A run of two patches of one object; where `busy`, the second is never made. */
  async function patchedTwice(busy: Record<string, string>) {
    const target = { apiVersion: 'v1', kind: 'Node', name: 'node1' };
    const patch = (body: JsonObject): Patch => ({ type: 'merge', body: { metadata: body } });
    const first: Step = { do: 'patch', target, because: 'first', patch: patch({ labels: { colour: 'grey' } }) };
    const then: Step = {
      do: 'patch',
      target,
      because: 'then',
      patch: patch({ labels: { colour: 'blue', broken: null } }),
    };
    const plan = (finding: Json) => {
      const offer = paintMode.plan(finding);
      return { ...offer, plans: offer.plans.map((one) => ({ ...one, steps: [first, { ...then, guard: 'quiet' }] })) };
    };
    const annotations = { sound: 'yes', ...busy };
    const world = paintWorld([node({ broken: 'true', colour: 'red' }, { metadata: { annotations } })], {
      mode: { ...paintMode, plan },
    });
    const id = await world.proposed();
    await world.approve(id);
    world.advance(60_000);
    world.click({ choice: 'undo', proposal: id });
    await world.settle(0);
    return { world, id };
  }

  it('puts an object back that was patched more than once', async () => {
    const { world, id } = await patchedTwice({});
    const undo = (await world.proposals()).find(({ undoes }) => undoes === id);

    await world.approve(undo?.id ?? '');

    expect(world.cluster.object('Node node1')?.metadata).toMatchObject({ labels: { broken: 'true', colour: 'red' } });
    expect(await state(world, id)).toBe('reverted');
  });

  it('is offered after a run that failed half-way, and waits beside the fault that still stands', async () => {
    const { world, id } = await patchedTwice({ busy: 'yes' });
    expect(await state(world, id)).toBe('failed');

    for (let minute = 0; minute < 3; minute++) {
      world.advance(60_000);
      look(world);
      await world.settle(0);
    }
    const undo = (await world.proposals()).find(({ undoes }) => undoes === id);
    expect(undo?.state).toBe('open');
    await world.approve(undo?.id ?? '', 'local:ann', 3);

    expect(world.cluster.object('Node node1')?.metadata).toMatchObject({ labels: { colour: 'red' } });
    expect(await state(world, undo?.id ?? '')).toBe('fixed');
  });
});
