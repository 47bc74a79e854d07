import { describe, expect, it } from 'vitest';
import { look, node, type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { recheck } from './recheck.ts';

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

  it('removes what is over for long, once an hour, by how long it is kept', async () => {
    const world = paintWorld();
    const asked: unknown[] = [];
    const prune = async (before: unknown) => void asked.push(before);
    Object.assign(world.store, { prune });
    Object.assign(world.world, { keep: '10d' });

    for (let ticks = 0; ticks < 2 * 240; ticks++) {
      world.tick();
      while (world.due() > 0) await world.deliver();
    }

    expect(asked).toEqual([
      { closed: '2026-01-05T13:00:00.000Z', received: '2026-01-14T13:00:00.000Z' },
      { closed: '2026-01-05T14:00:00.000Z', received: '2026-01-14T14:00:00.000Z' },
    ]);
  });
});

describe('The looks that nobody asked for', () => {
  it('come as often on each of many clusters, and are spread over the time between two', async () => {
    const { world, now } = paintWorld();
    const clusters = Array.from({ length: 500 }, (_each, n) => ({ ...KNOWN, id: `cluster-${n}` }));
    const many = { ...world, known: new Map(clusters.map((one) => [one.id, one])) };
    const looks: number[] = [];
    const of = new Map<string, number>();
    for (let tick = 0; tick < 40; tick++) {
      const since = now().getTime() + tick * 15_000;
      const facts = recheck(many, [], since, since + 15_000).map(({ fact }) => fact);
      looks.push(facts.length);
      for (const fact of facts) if (fact.event === 'observed') of.set(fact.cluster, (of.get(fact.cluster) ?? 0) + 1);
    }

    // Ten minutes are two rounds of five.
    expect([...new Set(of.values())]).toEqual([2]);
    expect(of.size).toBe(500);
    expect(Math.max(...looks)).toBeLessThan(3 * (500 / 20));
  });
});

it('A pace slows down the looks at what is well, and not at what waits for somebody', async () => {
  const { world, store, proposed, now } = paintWorld();
  const open = await store.get('proposal', await proposed());
  if (!open) throw new Error('nothing was proposed');
  const known = new Map(['cluster-1', 'other'].map((id) => [id, { ...KNOWN, id }]));
  const looks = new Map<string, number>();
  for (let minute = 0; minute < 60; minute++) {
    const since = now().getTime() + minute * 60_000;
    for (const { fact } of recheck({ ...world, known, pace: '30m' }, [open.item], since, since + 60_000))
      if (fact.event === 'observed') looks.set(fact.cluster, (looks.get(fact.cluster) ?? 0) + 1);
  }

  expect(looks).toEqual(
    new Map([
      ['cluster-1', 12],
      ['other', 2],
    ]),
  );
});

const KNOWN = { name: 'one', flavour: 'harvester', does: 'apply' } as const;
