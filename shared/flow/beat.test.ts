import { describe, expect, it } from 'vitest';
import { type Painted, paintWorld } from '../../test/simulator/paint.ts';
import type { Fact } from '../model.ts';

const MINUTE = 60_000;
const BEAT: Fact = { event: 'beat', cluster: 'cluster-1', name: 'lab', flavour: 'harvester', version: '0.2.0' };

async function registered() {
  const world = paintWorld();
  const registeredAt = world.now().toISOString();
  const row = {
    schema: 1 as const,
    id: 'cluster-1',
    name: 'lab',
    flavour: 'harvester' as const,
    does: 'apply' as const,
  };
  await world.store.put('cluster', { ...row, registeredAt }, 0);
  return world;
}

async function after(world: Painted, minutes: number) {
  world.advance(minutes * MINUTE);
  world.tick();
  await world.settle(0);
}

const told = ({ facts }: Painted) =>
  facts.flatMap((fact) => (fact.event === 'blinded' || fact.event === 'sighted' ? [fact] : []));

describe('The watcher of a cluster', () => {
  it('is missed once, a quarter of an hour after it was heard last', async () => {
    const world = await registered();
    world.publish({ fact: BEAT });
    await after(world, 14);
    expect(told(world)).toEqual([]);

    await after(world, 1);
    await after(world, 60);

    expect(told(world)).toMatchObject([
      {
        event: 'blinded',
        cluster: 'cluster-1',
        because: expect.stringMatching(/watcher of lab since 2026-01-15T12:00/),
      },
    ]);
  });

  it('that is heard again lets every mode look, and says for how long it was missed', async () => {
    const world = await registered();
    await after(world, 20);

    world.publish({ fact: BEAT });
    await world.settle(0);

    expect(told(world).at(-1)).toMatchObject({ event: 'sighted', because: expect.stringMatching(/after 20 min/) });
    expect(world.facts).toContainEqual(expect.objectContaining({ event: 'observed', mode: 'paint' }));
  });

  it('is not believed where nobody registered the cluster', async () => {
    const world = paintWorld();

    world.publish({ fact: BEAT });
    await world.settle(0);

    expect(await world.store.list('cluster')).toEqual([]);
  });
});
