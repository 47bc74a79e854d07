import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../shared/model.ts';
import { govern, Happening, happen } from '../simulator/happenings.ts';
import { PEOPLE, recorded } from '../simulator/history.ts';
import { judge } from '../simulator/judge.ts';
import { BROKEN, look, type Painted, paintWorld, vm } from '../simulator/paint.ts';
import { sealed } from './sealed.ts';

/** How many random schedules of each kind. */
const SCHEDULES = Math.ceil(Number(process.env.GLEANER_SCHEDULES ?? 1_000) / 10);
/** Where they begin: a failure prints its own seed, and the same seed lives the same lives again. */
const SEED = process.env.GLEANER_SEED === undefined ? Date.now() & 0x7fffffff : Number(process.env.GLEANER_SEED);

/** What somebody does who can write the store: puts a record back as it was once, or says of it what is not so. */
const Tampering = fc.record({
  what: fc.constant('tamper' as const),
  pick: fc.nat(50),
  as: fc.constantFrom('as it was', 'approved', 'applying', 'nothing done', 'all done', 'lifted'),
});
type Tampering = typeof Tampering extends fc.Arbitrary<infer T> ? T : never;

const Lives = fc.array(Happening, { minLength: 20, maxLength: 70 });
const Forged = fc.array(fc.oneof({ weight: 5, arbitrary: Happening }, { weight: 2, arbitrary: Tampering }), {
  minLength: 20,
  maxLength: 70,
});

function begin() {
  const world: Painted = paintWorld([BROKEN, vm('vm1'), vm('scrap-node1', false, {})], {
    seal: sealed(() => world.now()),
    people: PEOPLE,
  });
  // Whoever tampers does not die with the process.
  const { put } = world.store;
  return { world, put, history: recorded(world) };
}

async function end(world: Painted, history: ReturnType<typeof recorded>): Promise<void> {
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
}

/** Every version of every proposal that ever stood in the store. */
function remembering(world: Painted): Proposal[] {
  const versions: Proposal[] = [];
  const { put } = world.store;
  Object.assign(world.store, {
    put: async (...given: Parameters<typeof put>) => {
      const [table, item] = given;
      if (table === 'proposal' && 'found' in item) versions.push(structuredClone(item));
      return put(...given);
    },
  });
  return versions;
}

type Put = Painted['store']['put'];

async function tamper(world: Painted, put: Put, versions: readonly Proposal[], { pick, as }: Tampering): Promise<void> {
  const was = versions[pick % Math.max(1, versions.length)];
  if (!was) return;
  const row = await world.store.get('proposal', was.id);
  const incident = await world.store.get('incident', was.incident);
  if (row) await put('proposal', forged(was, as), row.version);
  if (incident) await put('incident', { ...incident.item, state: 'open', proposal: was.id }, incident.version);
  const lifted = await world.store.get('switch', 'cluster-1');
  if (lifted && as === 'lifted') await put('switch', { ...lifted.item, stopped: false }, lifted.version);
  world.publish({ fact: { event: 'applying', proposal: was.id } });
}

function forged(was: Proposal, as: Tampering['as']): Proposal {
  const { dueAt: _due, ...free } = was;
  switch (as) {
    case 'as it was':
    case 'lifted':
      return free;
    case 'approved':
      return { ...free, state: 'approved', plan: was.plan ?? 'mend', run: { steps: [], recovery: [] } };
    case 'applying':
      return { ...free, state: 'applying', plan: was.plan ?? 'mend' };
    case 'nothing done':
      return { ...free, state: 'applying', plan: was.plan ?? 'mend', run: { steps: [], recovery: [] } };
    case 'all done': {
      const steps = was.run.steps.map((step) => ({ ...step, is: 'done' as const }));
      return { ...free, state: 'applying', plan: was.plan ?? 'mend', run: { ...was.run, steps } };
    }
  }
}

describe('A life whose decisions are signed', () => {
  it(`keeps the invariants over ${SCHEDULES} random schedules from seed ${SEED}`, async () => {
    const live = async (happenings: readonly Happening[]) => {
      const { world, history } = begin();
      await world.proposed();
      for (const happening of happenings) await happen(world, happening, history);
      await end(world, history);
      await judge(world, history);
    };
    await fc.assert(fc.asyncProperty(Lives, live), { numRuns: SCHEDULES, seed: SEED });
  }, 120_000);

  it(`has each step of each decision take effect once at most, whatever is written into the store, over ${SCHEDULES} from seed ${SEED}`, async () => {
    const live = async (happenings: readonly (Happening | Tampering)[]) => {
      const { world, put, history } = begin();
      const versions = remembering(world);
      await world.proposed();
      for (const happening of happenings) {
        if (happening.what === 'tamper') await tamper(world, put, versions, happening);
        else await happen(world, happening, history);
      }
      await end(world, history);
      const decided = new Set(versions.filter(({ decision }) => decision !== undefined).map(({ id }) => id));
      const steps = world.cluster.effects.map(({ touch, object }) => {
        const { proposal, part, step } = history.of(touch);
        expect(decided, 'a touch for which nobody decided').toContain(proposal);
        return `${proposal} ${part} ${step}: ${touch.do} ${object}`;
      });
      expect(steps, 'an effect twice').toEqual([...new Set(steps)]);
    };
    await fc.assert(fc.asyncProperty(Forged, live), { numRuns: SCHEDULES, seed: SEED });
  }, 120_000);
});
