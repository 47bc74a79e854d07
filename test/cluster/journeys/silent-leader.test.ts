import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drills } from '../../../handlers/drills.ts';
import drill from '../../../handlers/node-not-ready/drill.ts';
import { textAt } from '../../../shared/playground/json.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { type Following, follow, inTime, states } from './gleaner-on-bed.ts';

const MINUTE = 60_000;

let stage: FurnishedBed;
let person: Following;

beforeAll(async () => {
  stage = await furnishBed({ drills: [...new Set([drill, ...drills])].filter(({ on }) => on === 'harvester') });
  person = await follow(stage);
});

afterAll(async () => {
  await person?.stop();
  await stage?.bed.stop();
});

const leader = async () => {
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'harvester-system' };
  return textAt(await stage.hands.get({ ...lease, name: 'plndr-svcs-lock' }), 'spec', 'holderIdentity');
};

const podsOfKubeVip = async () =>
  (
    await stage.hands.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace: 'harvester-system', labels: { 'app.kubernetes.io/name': 'kube-vip' } },
    )
  ).map((pod) => textAt(pod, 'metadata', 'name'));

describe('a healthy cluster', () => {
  it('brings no card in ten minutes', async () => {
    const until = stage.clock.now().getTime() + 10 * MINUTE;

    await inTime(stage.clock, 'ten minutes', () => stage.clock.now().getTime() > until || undefined, {
      step: 8_000,
    });

    const { store } = person.gleaner.world;
    expect((await store.list('proposal')).map(({ item }) => item.found.summary)).toEqual([]);
    expect(await person.gleaner.desk.clusters()).toMatchObject([{ blind: undefined }]);
    expect(person.warnings).toEqual([]);
    expect(stage.stumbles).toEqual([]);
  });
});

describe('a kube-vip leader that has gone silent', () => {
  it('is replaced after one approval, and the virtual address answers again', async () => {
    const before = await podsOfKubeVip();
    await drill.break(stage.hands);

    const card = await person.card(drill.mode, { plan: 'replace-vip-leader' });
    const said = await person.approve(card);
    const end = await person.ended(card);

    expect(card.found).toMatchObject({ confidence: 'certain' });
    expect(card.dryRuns['replace-vip-leader']?.[0]).toMatchObject({ is: 'would-change' });
    expect(said).toMatchObject({ ok: true });
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect((await fetch(`${stage.vip}/version`)).ok).toBe(true);
    expect(await leader()).toMatch(/^node[123]$/);
    const after = await podsOfKubeVip();
    expect(after).toHaveLength(3);
    expect(after.filter((name) => !before.includes(name))).toHaveLength(1);
  });
});
