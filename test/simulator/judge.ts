import { expect } from 'vitest';
import { nameOf } from '../../shared/handler.ts';
import { type Proposal, SUCCESSORS } from '../../shared/model.ts';
import type { History } from './history.ts';
import type { Painted } from './paint.ts';

/** What must hold of every record when all is said and done. */
export async function judge(world: Painted, history: History) {
  for (const offence of history.offences) throw offence;
  await recordsEnd(world);
  onceEach(world, history);
  await machinesAreBack(world, history);
  await nothingIsForgotten(world);
}

async function recordsEnd(world: Painted) {
  for (const { id, timeline, run, state, verdict, because } of await world.proposals()) {
    expect(['approved', 'applying', 'applied'], `I4: ${id} stays under way: ${because}`).not.toContain(state);
    const path = timeline.map(({ is }) => is).filter((is) => is in SUCCESSORS);
    for (const [index, is] of path.entries()) {
      const next = path[index + 1];
      const follows = next === undefined || next === is ? [] : [next];
      expect(SUCCESSORS, 'the state machine').toMatchObject({ [is]: expect.arrayContaining(follows) });
    }
    const hasFailed = run.steps.some(({ is }) => is === 'failed' || is === 'unknown' || is === 'started');
    if (hasFailed) expect(['failed', 'unknown'], `${id} ends as a step of it did`).toContain(state);
    if (state === 'fixed') {
      expect(verdict?.is, 'I5: fixed was read back').toBe('fixed');
      const [from, to] = ['applied', 'fixed'].map((name) =>
        Date.parse(timeline.find(({ is }) => is === name)?.at ?? ''),
      );
      expect((to ?? 0) - (from ?? 0), 'I5: and held').toBeGreaterThanOrEqual(30_000);
    }
    const toldOf = ['stale', 'failed', 'unknown', 'fixed', 'withdrawn', 'superseded', 'expired'];
    if (!toldOf.includes(state)) continue;
    const told = world.facts.filter((fact) => 'proposal' in fact && fact.proposal === id).map(({ event }) => event);
    expect(told, `${id} ended, and nobody was told`).toContain(state);
  }
}

/** I2: each step of each run has had one effect, or none. */
function onceEach({ cluster }: Painted, history: History) {
  const steps = cluster.effects.map(({ touch, object }) => {
    const { proposal, part, step } = history.of(touch);
    return `${proposal} ${part} ${step}: ${touch.do} ${object}`;
  });
  expect(steps, 'I2: an effect twice').toEqual([...new Set(steps)]);
}

/** What a run stopped runs again, or the run says that it does not; what it did not stop it does not start. */
async function machinesAreBack(world: Painted, history: History) {
  const calls = world.cluster.effects.filter(({ touch }) => touch.do === 'call');
  const recent = world.cluster.effects.slice(history.since());
  const stops = recent.filter(({ touch }) => touch.do === 'call' && touch.subresource === 'stop');
  const last = stops.at(-1);
  const object = last && world.cluster.object(last.object);
  if (last && Object(object?.spec).running !== true) {
    const run = await world.store.get('proposal', history.of(last.touch).proposal);
    expect(run?.item.because, `${last.object} stands still, and nobody says so`).toContain(last.object);
  }
  for (const { touch, object: name } of calls) {
    const { proposal, part, subresource } = history.of(touch);
    if (part !== 'recovery' || subresource !== 'start') continue;
    const run = (await world.store.get('proposal', proposal))?.item;
    // A process that died between the trace and the touch cannot tell whether there was one.
    const begun = planOf(run)?.steps.filter(({ target }, index) => {
      const isBegun = run?.timeline.some(({ is }) => is === `step ${index + 1}: started`);
      return isBegun && nameOf(target) === name;
    });
    expect(begun, `${name} was started by a recovery whose run had not touched it`).not.toEqual([]);
  }
}

const planOf = (run: Proposal | undefined) => run?.found.offer.plans.find(({ id }) => id === run.plan);

/** I3: what is wrong at the end stands on a card, and what stands on an open card is wrong; one card for each incident. */
async function nothingIsForgotten(world: Painted) {
  const nodes = ['node1', 'node2', 'node3'];
  const broken = nodes.filter((name) => {
    const { labels } = Object(world.cluster.object(`Node ${name}`)?.metadata);
    return Object(labels).broken !== undefined;
  });
  const wrong = broken.length >= 3 ? ['kube-system'] : broken;
  const proposals = await world.proposals();
  const incidents = (await world.store.list('incident')).map(({ item }) => item);
  for (const subject of wrong) {
    const incident = incidents.find((one) => one.subject.name === subject);
    const current = proposals.find(({ id }) => id === incident?.proposal);
    const silent = ['open', 'snoozed', 'rejected', 'expired', 'failed', 'unknown'];
    expect(silent, `${subject} is broken, and no card says so`).toContain(current?.state);
  }
  const open = proposals.filter(({ state }) => state === 'open' || state === 'snoozed');
  for (const { id, incident: of, found, undoes } of open) {
    expect(incidents.find((one) => one.id === of)?.proposal, 'one incident, one open card').toBe(id);
    if (undoes === undefined) expect(wrong, 'an open card of what is not wrong').toContain(found.subject.name);
  }
}
