import { expect } from 'vitest';
import { touches } from '../../shared/handler.ts';
import type { Principal } from '../../shared/model.ts';
import type { Touch } from '../../shared/ports/cluster.ts';
import type { Painted } from './paint.ts';

/** What the audit log said right before a touch. */
interface About {
  readonly proposal: string;
  readonly revision: string;
  readonly part: 'steps' | 'recovery';
  readonly step: number;
  readonly do: string;
  readonly subresource?: string;
  readonly target: { readonly name: string };
  readonly guard: unknown;
}

/** What a world did, with whom to thank for it. */
export interface History {
  /** The attempts, in order. */
  readonly attempts: readonly About[];
  /** What a touch broke that came to pass: thrown there, it would only be delivered again. */
  readonly offences: readonly unknown[];
  /** Somebody else has stopped a VM: what runs did before counts no more. */
  halted(): void;
  /** The first effect since then. */
  readonly since: () => number;
  /** Who is behind a touch that had an effect. */
  of(touch: Touch): About;
  /** Lets the process die at its `at`-th write from now on; 0 lets it live. Everything it had begun is delivered again. */
  crash(at: number): void;
  /** How many turns each call to the store and the cluster waits, in a circle: two deliveries at once interleave by that. */
  interleave(turns: readonly number[]): void;
}

/** Stands between the flow and its store and cluster: writes down what happens, and can let the process die at any write. */
export function recorded(world: Painted): History {
  const attempts: About[] = [];
  let stoppedAt = '';
  const offences: unknown[] = [];
  const thanks = new Map<Touch, About>();
  let left = 0;
  let halts = 0;
  let turns: readonly number[] = [];
  let turn = 0;
  const step = () => {
    if (left > 0 && --left === 0) throw new Error('killed');
  };
  const pause = async () => {
    for (let waits = turns[turn++ % turns.length] ?? 0; waits > 0; waits--) await Promise.resolve();
  };
  const { get, put, append } = world.store;
  const { touch, read, dryRun } = world.cluster;
  Object.assign(world.store, {
    get: async (...given: Parameters<typeof get>) => {
      await pause();
      return get(...given);
    },
    put: async (...given: Parameters<typeof put>) => {
      step();
      await pause();
      const said = await put(...given);
      const id = given[1].id;
      if (given[0] === 'switch') stoppedAt = world.now().toISOString();
      if (said.ok && given[0] === 'proposal')
        await mayBecome(world, id).catch((offence: unknown) => offences.push(offence));
      step();
      return said;
    },
    append: async (line: Parameters<typeof append>[0]) => {
      const said = JSON.parse(line.text);
      if (said.what === 'about to') attempts.push(said);
      return append(line);
    },
  });
  Object.assign(world.cluster, {
    read: async (ref: Parameters<typeof read>[0]) => {
      await pause();
      return read(ref);
    },
    dryRun: async (tried: Touch) => {
      await pause();
      return dryRun(tried);
    },
    touch: async (given: Touch) => {
      const about = attempts.findLast((one) => one.target.name === given.target.name && one.do !== 'wait');
      if (!about) throw new Error(`nothing announced the touch of ${given.target.name}`);
      thanks.set(given, about);
      step();
      await mayTouch(world, about, stoppedAt).catch((offence: unknown) => offences.push(offence));
      await pause();
      const said = await touch(given);
      step();
      return said;
    },
  });
  return {
    ...{ attempts, offences },
    halted: () => {
      halts = world.cluster.effects.length;
    },
    since: () => halts,
    of(given) {
      const about = thanks.get(given);
      if (!about) throw new Error('an effect that nobody announced');
      return about;
    },
    crash: (at) => {
      left = at;
    },
    interleave: (given) => {
      turns = given;
    },
  };
}

/** Two names of one person. */
export const PEOPLE: Readonly<Record<string, readonly Principal[]>> = { ann: ['local:ann', 'slack:U1'] };
const person = (who: string) => (PEOPLE.ann?.some((name) => name === who) ? 'ann' : who);

/** I1: a decision in time, and a run of what is still so, approved by enough people who may. */
async function mayBecome(world: Painted, id: string) {
  const { item } = (await world.store.get('proposal', id)) ?? {};
  const stage = item?.timeline.at(-1);
  if (item?.state === 'approved') expect(item.expiresAt > item.changedAt, 'approved after its expiry').toBe(true);
  if (item?.state !== 'applying' || stage?.is !== 'applying') return;
  expect((await world.store.get('incident', item.incident))?.item.proposal, 'a run of an orphan').toBe(id);
  const allowed = item.approvals.filter(({ who }) => world.approvers.some((one) => person(one) === person(who)));
  expect(new Set(allowed.map(({ who }) => person(who))).size, 'enough people').toBeGreaterThanOrEqual(world.quorum);
  if (item.undoes !== undefined) return;
  const { colour, node } = Object(item.found.finding);
  const { labels } = Object(world.cluster.object(`Node ${node}`)?.metadata);
  expect({ colour: '', ...labels }, 'a run of what is not so any more').toMatchObject({ broken: 'true', colour });
}

/** I1: a touch is a step of the plan that enough allowed people approved, at the revision that they read. */
async function mayTouch(world: Painted, about: About, stoppedAt: string) {
  const { item } = (await world.store.get('proposal', about.proposal)) ?? {};
  expect(item?.state, 'a touch outside a run').toBe('applying');
  expect(item?.revision).toBe(about.revision);
  const plan = item?.found.offer.plans.find(({ id }) => id === item.plan);
  const step = plan?.[about.part === 'steps' ? 'steps' : 'onFailure'][about.step - 1];
  expect(step && touches(step) && { do: step.do, target: step.target }).toEqual({ do: about.do, target: about.target });
  const people = new Set(item?.approvals.filter((one) => one.plan === item.plan).map(({ who }) => person(who)));
  expect(people.has('local:eve'), 'eve may not approve').toBe(false);
  expect(people.size, 'enough people').toBeGreaterThanOrEqual(world.quorum);
  if (step && touches(step) && step.guard === 'quiet') {
    const { annotations } = Object(world.cluster.object(`Node ${step.target.name}`)?.metadata);
    expect(annotations, 'a touch against its guard').not.toHaveProperty('busy');
  }
  if (about.part === 'steps') {
    const stop = await world.store.get('switch', 'cluster-1');
    // A stop that comes between the question and the touch is too late for it; its moment is the same in a world whose time stands still.
    const isFresh = stoppedAt === world.now().toISOString();
    expect(stop?.item.stopped === true && !isFresh, 'a touch after the emergency stop').toBe(false);
  }
}
