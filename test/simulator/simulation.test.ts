import fc from 'fast-check';
import { describe, it } from 'vitest';
import { govern, Happening, happen } from './happenings.ts';
import { PEOPLE, recorded } from './history.ts';
import { judge } from './judge.ts';
import { BROKEN, look, paintWorld, vm } from './paint.ts';

/** How many random schedules; each is a life of one cluster with people, faults, crashes, races and duplicates. */
const SCHEDULES = Number(process.env.GLEANER_SCHEDULES ?? 1_000);
/** Where they begin: a failure prints its own seed, and the same seed lives the same lives again. */
const SEED = process.env.GLEANER_SEED === undefined ? Date.now() & 0x7fffffff : Number(process.env.GLEANER_SEED);

interface Life {
  readonly quorum: number;
  readonly also: '' | 'delete' | 'restart';
  readonly happenings: readonly Happening[];
}

const Life = fc.record({
  quorum: fc.constantFrom(1, 1, 1, 2),
  also: fc.constantFrom('' as const, '' as const, 'delete' as const, 'restart' as const),
  happenings: fc.array(Happening, { minLength: 20, maxLength: 90 }),
});

async function live({ quorum, also, happenings }: Life) {
  const labels: Record<string, string> = also === '' ? {} : { also };
  const broken = {
    ...BROKEN,
    metadata: { ...Object(BROKEN.metadata), labels: { broken: 'true', colour: 'red', ...labels } },
  };
  const world = paintWorld([broken, vm('vm1'), vm('scrap-node1', false, {})], { quorum, also: labels, people: PEOPLE });
  const history = recorded(world);
  await world.proposed();
  for (const happening of happenings) await happen(world, happening, history);

  history.crash(0);
  world.cluster.down = false;
  world.cluster.fault = () => 'none';
  govern(world, 'apply');
  govern(world, 'both');
  await world.settle(30);
  world.click({ choice: 'resume', cluster: 'cluster-1' });
  for (let round = 0; round < 4; round++) {
    look(world);
    world.tick(90_000);
    await world.settle(30);
  }
  await judge(world, history);
}

describe('Any life of a cluster', () => {
  it(
    `keeps the invariants over ${SCHEDULES} random schedules from seed ${SEED}`,
    async () => {
      await fc.assert(fc.asyncProperty(Life, live), { numRuns: SCHEDULES, seed: SEED });
    },
    SCHEDULES * 300,
  );
});
