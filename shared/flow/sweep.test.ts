import { describe, expect, it } from 'vitest';
import { look, node, type Painted, paintWorld } from '../../test/simulator/paint.ts';

const HOUR = 3_600_000;
const states = async (world: Painted) => (await world.proposals()).map(({ state }) => state).sort();
const names = ({ facts }: Painted) => facts.map(({ event }) => event);

/** Lets the process die right after the next write. */
function dieOnce(world: Painted) {
  const { put } = world.store;
  Object.assign(world.store, {
    put: async (...given: Parameters<typeof put>) => {
      await put(...given);
      Object.assign(world.store, { put });
      throw new Error('killed');
    },
  });
}

describe('sweep', () => {
  it.each([
    ['reminds', 4, 'reminded', 'open'],
    ['lets expire what nobody decided', 24, 'expired', 'expired'],
  ] as const)('%s, and tells it once though the process died in between', async (_what, hours, event, state) => {
    const world = paintWorld();
    await world.proposed();
    dieOnce(world);

    world.tick(hours * HOUR);
    await world.settle(1);

    expect(await states(world)).toEqual([state]);
    expect(names(world).filter((name) => name === event)).toHaveLength(1);
    world.tick();
    await world.settle(1);
    expect(names(world).filter((name) => name === event)).toHaveLength(1);
  });

  it('leaves alone a proposal whose incident is just about to name it', async () => {
    const world = paintWorld();
    look(world);
    await world.deliver();
    world.advance(30_000);
    await world.deliver();
    dieOnce(world);
    await world.deliver();
    expect(await states(world)).toEqual(['open']);

    world.publish({ fact: { event: 'ticked', since: world.now().toISOString() } });
    await world.settle(1);

    expect(await states(world)).toEqual(['open']);
  });

  it('sends the event of a run again that got lost', async () => {
    const world = paintWorld([node({ broken: 'true' }, { metadata: { annotations: { sound: 'no' } } })]);
    await world.approve(await world.proposed(), 'local:ann', 0);
    const id = (await world.proposals())[0]?.id ?? '';
    // What was promised for later is forgotten.
    while (world.due() > 0 || names(world).at(-1) !== 'applying') await world.deliver();
    const sent = () => names(world).filter((name) => name === 'applying').length;
    const before = sent();

    for (let tick = 0; tick < 4; tick++) {
      world.tick();
      await world.deliver((count) => count - 1);
    }

    expect((await world.store.get('proposal', id))?.item.state).toBe('applying');
    expect(sent()).toBe(before + 1);
  });
});
