import { describe, expect, it } from 'vitest';
import { paintMode } from '../../test/simulator/mode.ts';
import { BROKEN, look, node, paintWorld, vm } from '../../test/simulator/paint.ts';
import { stillLife } from '../adapters/stilllife/look.ts';
import type { Kind, Rights } from '../handler.ts';

describe('classify', () => {
  it('proposes a fault only after it has held for the settle window', async () => {
    const world = paintWorld();

    look(world);
    await world.deliver();
    expect(world.facts.map(({ event }) => event)).toEqual(['observed', 'observed']);
    world.advance(30_000);
    await world.settle(0);

    expect(world.facts.map(({ event }) => event)).toContain('proposed');
  });

  it('forgets a fault that goes away within the settle window', async () => {
    const world = paintWorld();

    look(world);
    await world.deliver();
    world.cluster.set(node({}));
    await world.settle(5);

    expect(await world.proposals()).toEqual([]);
  });

  it('starts the settle window anew when a fault comes back', async () => {
    const world = paintWorld();
    look(world);
    await world.deliver();
    world.advance(20_000);
    world.cluster.set(node({}));
    look(world);
    await world.deliver();

    world.cluster.set(BROKEN);
    look(world);
    await world.deliver();
    world.advance(15_000);
    await world.settle(0);

    expect(await world.proposals()).toEqual([]);
  });

  it('puts what the API server would change on the proposal', async () => {
    const world = paintWorld();

    const id = await world.proposed();

    const row = await world.store.get('proposal', id);
    expect(row?.item.dryRuns.mend?.map(({ is }) => is)).toEqual([
      'would-change',
      'would-change',
      'not-tried',
      // The plan stops the VM first: that it runs now says nothing of how it will start.
      'not-tried',
    ]);
  });

  it('says nothing new of twenty minutes of heartbeats and unrelated changes', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const told = world.facts.filter(({ event }) => event !== 'observed').length;

    for (let minute = 0; minute < 20; minute++) {
      world.advance(60_000);
      world.cluster.set(
        node({ broken: 'true', colour: 'red' }, { metadata: { annotations: { sound: 'yes', beat: String(minute) } } }),
      );
      look(world);
      await world.settle(0);
    }

    expect(world.facts.filter(({ event }) => event !== 'observed')).toHaveLength(told);
    await world.approve(id);
    expect((await world.proposals()).map(({ state }) => state)).toEqual(['fixed']);
  });

  it('keeps one card for a node that flaps for an hour', async () => {
    const world = paintWorld();

    for (let turn = 0; turn < 180; turn++) {
      world.cluster.set(turn % 2 === 0 ? BROKEN : node({}));
      look(world);
      await world.settle(0);
      world.advance(20_000);
    }

    expect(world.facts.filter(({ event }) => event === 'proposed').length).toBeLessThanOrEqual(1);
    expect(world.facts.filter(({ event }) => event === 'withdrawn').length).toBeLessThanOrEqual(1);
  });

  it('makes one incident without a fix of a storm', async () => {
    const others = ['node1', 'node2', 'node3'].map((name) =>
      node({ broken: 'true' }, { metadata: { name, uid: `u-${name}` } }),
    );
    const world = paintWorld(others);

    await world.proposed();

    const proposals = await world.proposals();
    expect(proposals).toHaveLength(1);
    expect(proposals[0]?.found.offer).toMatchObject({
      plans: [],
      refusal: { because: expect.stringContaining('3 at once') },
    });
  });

  it('keeps the last good state of an object, and not the state after the fault', async () => {
    const world = paintWorld([node({ colour: 'blue' }), vm('vm1')]);
    look(world);
    await world.settle(1);
    world.cluster.set(BROKEN);
    await world.proposed();

    const [row] = await world.store.list('lastGood');

    expect(row?.item.value).toEqual({ colour: 'blue' });
  });

  it('withdraws nothing where a kind that it watches could not be read', async () => {
    const world = paintWorld();
    await world.proposed();
    Object.assign(world.cluster, { look: async () => stillLife({ at: world.now(), objects: [] }) });

    for (let minute = 0; minute < 5; minute++) {
      look(world);
      await world.settle(0);
      world.advance(60_000);
    }

    expect((await world.proposals()).map(({ state }) => state)).toEqual(['open']);
  });

  it('changes nothing about a card where a look breaks off because something cannot be read', async () => {
    const world = paintWorld([BROKEN, vm('vm1')]);
    await world.proposed();
    const before = await world.proposals();
    const whole = world.cluster.look;
    const list = () => Promise.reject(new Error('Vm cannot be read just now'));
    Object.assign(world.cluster, {
      look: async (rights: Rights) => {
        const picture = await whole(rights);
        return { ...picture, list: (kind: Kind) => (kind.kind === 'Vm' ? list() : picture.list(kind)) };
      },
    });
    for (let minute = 0; minute < 5; minute++) {
      look(world);
      await world.settle(0);
      world.advance(60_000);
    }
    Object.assign(world.cluster, { look: whole });
    look(world);
    await world.settle(5);

    expect(await world.proposals()).toEqual(before);
  });

  it('looks once more when the windows are over, however many objects wait for that', async () => {
    const two = ['node1', 'node2'].map((name) => node({ broken: 'true' }, { metadata: { name, uid: `u-${name}` } }));
    const world = paintWorld(two);

    look(world);
    await world.deliver();

    expect(world.facts.map(({ event }) => event)).toEqual(['observed', 'observed']);
  });

  it('keeps no good state that is older than the one it has', async () => {
    const world = paintWorld([node({ colour: 'blue' })]);
    const early = await world.cluster.look(paintMode.rights);
    world.advance(1_000);
    world.cluster.set(node({ colour: 'green' }));
    look(world);
    await world.settle(0);

    Object.assign(world.cluster, { look: async () => early });
    look(world);
    await world.settle(0);

    expect((await world.store.list('lastGood')).map(({ item }) => item.value)).toEqual([{ colour: 'green' }]);
  });
});
