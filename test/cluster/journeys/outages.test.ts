import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import drill from '../../../handlers/ippool-status-wiped/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { isUndecided } from '../../../shared/model.ts';
import { listAt } from '../../../shared/playground/json.ts';
import { startProxy } from '../bed/proxy.ts';
import { until } from '../bed/until.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { type Following, follow, inTime, listening } from './gleaner-on-bed.ts';
import { startKillable } from './killable.ts';

const kind = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool' };
const poolRef = (name: string): ObjectRef => ({ ...kind, name });

let stage: FurnishedBed;
let person: Following | undefined;

beforeAll(async () => {
  stage = await furnishBed({ drills: [drill] });
});

afterEach(async () => {
  await person?.stop();
  person = undefined;
});

afterAll(() => stage?.bed.stop());

/** A sound pool that books nothing; `index` keeps the ranges apart. */
const pool = (name: string, index: number): JsonObject => ({
  ...kind,
  metadata: { name, finalizers: ['wrangler.cattle.io/harvester-ipam-controller'] },
  spec: { ranges: [{ subnet: `10.${index}.0.0/24`, gateway: `10.${index}.0.1` }] },
  status: {
    ...{ total: 253, available: 253, lastAllocated: '' },
    conditions: [{ type: 'Ready', status: 'True', lastUpdateTime: '2026-01-10T08:00:00Z' }],
  },
});

/** Pools that are there for long: one that is younger than a minute is not judged. */
async function makePools(prefix: string, count: number, from: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  await Promise.all(names.map((name, index) => stage.hands.create(pool(name, from + index))));
  stage.clock.advance(120_000);
  return names;
}

/** What a careless save leaves: the whole object without its status. */
async function wipe(name: string): Promise<void> {
  const { metadata, spec } = Object(await stage.hands.get(poolRef(name)));
  await stage.hands.put({ ...kind, metadata: { name, labels: metadata.labels ?? {} }, spec });
}

const touch = (name: string, change: number) =>
  stage.hands.merge(poolRef(name), { metadata: { labels: { change: String(change) } } });

const namesOf = (proposals: readonly { found: { subject: ObjectRef } }[]) =>
  proposals.map(({ found }) => found.subject.name).sort();

/** Waits until a wipe has had its course: the controller puts the lost finalizer back, and that changes what is found. */
const settled = (wiped: readonly string[]) =>
  until('the controller has put every finalizer back', async () => {
    const pools = await Promise.all(wiped.map((name) => stage.hands.get(poolRef(name))));
    return pools.every((one) => listAt(one, 'metadata', 'finalizers').length > 0) || undefined;
  });

/**
 * Waits until every one of the pools has a card that awaits a decision, and gives all proposals that there ever were.
 * No mode of these Gleaners looks again by itself: what they find after their start the watch has told.
 */
async function cardsFor(follower: Following, wiped: readonly string[]) {
  await settled(wiped);
  const probe = async () => {
    const open = (await follower.proposals(drill.mode)).filter(({ state }) => isUndecided(state));
    const missing = wiped.filter((name) => !namesOf(open).includes(name));
    if (missing.length > 0) throw new Error(`no card for ${missing.join(', ')}`);
    return true;
  };
  await inTime(stage.clock, `a card for each of ${wiped.length} pools`, probe, { step: 2_000 });
  return follower.proposals(drill.mode);
}

describe('a Gleaner that is killed in a burst of 500 changes', () => {
  it('has one card for every fault after it was started again, and none twice', async () => {
    const names = await makePools('burst', 30, 10);
    const state = join(stage.bed.folder, 'burst.sqlite');
    const first = await startKillable(stage, state);
    const wiped: string[] = [];
    const change = async (index: number) => {
      if (index % 40 !== 20) return touch(names[index % names.length] ?? '', index);
      const name = names[wiped.length] ?? '';
      wiped.push(name);
      return wipe(name);
    };
    const changes = async (from: number, to: number) => {
      for (let index = from; index < to; index += 5) {
        await Promise.all([0, 1, 2, 3, 4].map((more) => change(index + more)));
      }
    };

    await changes(0, 200);
    await settled(wiped);
    const before = await first.card(drill.mode);
    const rest = changes(200, 500);
    await until('the burst is half over', () => wiped.length > 7 || undefined, { everyMs: 5 });
    await first.kill();
    await rest;
    person = await follow(stage, { state, modes: listening });
    const all = await cardsFor(person, wiped);

    expect(new Set(wiped).size).toBe(12);
    expect(namesOf(all)).toEqual([...new Set(wiped)].sort());
    expect(all.map(({ id }) => id)).toContain(before.id);
  });
});

describe('an API server that goes away', () => {
  it('comes back to a Gleaner that sees what happens then, and proposes nothing twice', async () => {
    const [early = '', late = ''] = await makePools('restart', 2, 60);
    person = await follow(stage, { modes: listening });
    await wipe(early);
    const known = await cardsFor(person, [early]);

    await stage.bed.apiserver.restart();
    await until('the pools are served again', () => wipe(late).then(() => true));
    const all = await cardsFor(person, [early, late]);

    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(known.map(({ id }) => id)));
    expect(new Set(namesOf(all)).size).toBe(all.length);
  });
});

describe('a watch that is cut every second', () => {
  it('misses no fault, and brings none twice', async () => {
    const names = await makePools('cut', 5, 70);
    const proxy = await startProxy(stage.bed.port);
    stage.bed.onStop(proxy.stop);
    person = await follow(stage, { server: proxy.url, modes: listening });

    for (const name of names) {
      proxy.cut();
      await wipe(name);
      await pause(1000);
      proxy.cut();
      await pause(1000);
    }
    const all = await cardsFor(person, names);

    expect(namesOf(all).filter((name) => name.startsWith('cut-'))).toEqual([...names].sort());
    expect(new Set(namesOf(all)).size).toBe(all.length);
  });
});
