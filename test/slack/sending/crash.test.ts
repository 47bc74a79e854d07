import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { chance } from '../../conformance/chance.ts';
import { type Bed, type BedOptions, NOON, OPS, sendingBed } from './bed.ts';
import { type DirectSlack, directSlack } from './direct.ts';
import { cardsOf, jsonOf, jsonsOf, repliesTo } from './seen.ts';

class Death extends Error {}

/** A history of one incident: opened, superseded by a newer revision, that one decided; with an outage of six minutes. */
async function live(bed: Bed & { slack: DirectSlack }) {
  await bed.records.open('i1', 'p1', bed.now());
  await bed.publish({ event: 'proposed', proposal: 'p1' });
  await bed.pass(20, 1_000);
  bed.slack.isDown = true;
  await bed.records.change(
    'p1',
    { at: bed.at(), is: 'superseded', because: 'the cluster changed' },
    { state: 'superseded' },
  );
  await bed.records.open('i1', 'p2', bed.now(), { revision: 'r2' });
  await bed.publish({ event: 'proposed', proposal: 'p2' });
  await bed.pass(360, 1_000);
  bed.slack.isDown = false;
  await bed.pass(90, 1_000);
  await bed.records.change('p2', { at: bed.at(), is: 'rejected', because: 'known' }, { state: 'rejected' });
  await bed.publish({ event: 'decided', proposal: 'p2', because: 'known', click: CLICK });
  await bed.pass(600, 2_000);
}

const CLICK = { id: 'c1', who: 'slack:U0ADA', choice: 'reject' as const, from: { team: 'T0', channel: OPS } };

async function mortalBed(die: NonNullable<BedOptions['die']>) {
  const clock = manualClock(NOON);
  const slack = directSlack(() => clock.now());
  return { ...(await sendingBed({ api: slack, clock, die })), slack };
}

async function bedDyingAt(step: number) {
  let count = 0;
  const where: string[] = [];
  const bed = await mortalBed((at) => {
    count++;
    if (count !== step) return;
    where.push(at);
    throw new Death(at);
  });
  return { ...bed, where, steps: () => count };
}

describe('A process that dies', () => {
  it('before or after any write or call, loses neither the card, nor a stage, nor the news of an outage', async () => {
    const whole = await bedDyingAt(0);
    await live(whole);
    expect(whole.steps()).toBeGreaterThan(50);

    for (let step = 1; step <= whole.steps(); step++) {
      const bed = await bedDyingAt(step);
      await live(bed);
      const what = `died ${bed.where} (step ${step})`;
      const post = (await bed.store.get('post', 'i1'))?.item;
      const cards = cardsOf(bed.slack);
      const card = cards.find(({ ts }) => ts === post?.message);
      // A message whose address was not written down stays behind, and its buttons count no more.
      const orphans = bed.where.includes('after chat.postMessage') || bed.where.includes('before post') ? 1 : 0;

      expect(post?.proposal, what).toBe('p2');
      expect(jsonOf(card), what).not.toContain('gleaner:reject');
      expect(cards.length, what).toBeLessThanOrEqual(1 + orphans);
      const told = jsonsOf(repliesTo(bed.slack, card?.ts));
      expect(told.join(), what).toMatch(/the cluster changed.*Rejected/s);
      expect(new Set(bed.facts.map(({ event }) => event)), what).toEqual(new Set(['unheard', 'heard']));
      expect(bed.facts.length, what).toBe(2);
      expect(bed.slack.calls('chat.postEphemeral').length, what).toBeGreaterThan(0);
      expect(bed.pending(), what).toBe(0);
    }
  }, 60_000);

  it('again and again, still brings the card to where the record stands', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = chance(seed);
      const bed = await mortalBed((at) => {
        if (random() < 0.04) throw new Death(at);
      });
      await live(bed);
      await bed.pass(1_800, 2_000);

      const what = `seed ${seed}`;
      const post = (await bed.store.get('post', 'i1'))?.item;
      const card = bed.slack.messages().find(({ ts }) => ts === post?.message);
      expect(post, what).toMatchObject({ proposal: 'p2', told: 2 });
      expect(jsonOf(card), what).not.toContain('gleaner:reject');
      expect(bed.pending(), what).toBe(0);
    }
  }, 60_000);
});
