import { describe, expect, it } from 'vitest';
import type { Fault } from '../../doubles/slack/index.ts';
import { OPS } from './bed.ts';
import {
  cardsOf,
  expectOneCardEach,
  expectPaced,
  expectPolite,
  inChannel,
  jsonsOf,
  openMany,
  proposed,
  repliesTo,
} from './seen.ts';
import { wireBed } from './wire-bed.ts';

const NOT_IN_CHANNEL: Fault = { kind: 'error', error: 'not_in_channel' };

describe('While Slack', { timeout: 30_000 }, () => {
  it('is silent for five minutes, that is told once, and once that it is heard again', async () => {
    const bed = await wireBed();
    bed.slack.faults.add(NOT_IN_CHANNEL);

    await openMany(bed, 20);
    await bed.pass(299);
    expect(bed.facts).toEqual([]);
    await bed.pass(2);
    const unheard = { event: 'unheard', channel: OPS, since: '2026-01-15T12:00:00.000Z' };
    expect(bed.facts).toEqual([{ ...unheard, because: expect.stringMatching(/not_in_channel; invite the app/) }]);
    await bed.pass(3_600, 2_000);
    expect(bed.facts).toHaveLength(1);
    bed.slack.faults.clear();
    await bed.pass(600, 500);

    expect(bed.facts.slice(1)).toEqual([{ event: 'heard', channel: OPS, because: 'messages get through again' }]);
    await expectOneCardEach(bed, 20);
    expect(bed.pending()).toBe(0);
  });

  it('is out of order for an hour, it is asked less and less often', async () => {
    const bed = await wireBed();
    bed.slack.faults.add({ kind: 'reset' });

    await openMany(bed, 30);
    await bed.pass(3_600, 2_000);

    expect(bed.slack.calls().length).toBeLessThan(70);
    expect(bed.deliveries()).toBeLessThan(30 * 75);
    expect(bed.pending()).toBe(30);
  });

  it('loses an answer, the card is posted again, and its buttons are those that count', async () => {
    const bed = await wireBed();
    bed.slack.faults.add({ kind: 'lost-answer' }, { times: 1 });

    await openMany(bed, 1);
    await bed.pass(60);

    const [, second, ...others] = inChannel(bed.slack);
    expect(others).toEqual([]);
    expect((await bed.store.get('post', 'i0'))?.item.message).toBe(second?.ts);
  });

  it('refuses one channel, others get their cards', async () => {
    const bed = await wireBed({ channelOf: ({ incident }) => (incident === 'i0' ? 'C0OTHER' : OPS) });
    bed.slack.add.channel({ id: 'C0OTHER', members: [] });

    await openMany(bed, 3);
    await bed.pass(301);

    // Those who read the channel that works are told of the other one.
    expect(inChannel(bed.slack).map(({ text }) => /C0OTHER/.test(text))).toEqual([false, false, true]);
    expect(bed.facts).toMatchObject([{ event: 'unheard', channel: 'C0OTHER' }]);
  });

  it('keeps a card from being posted for a day after its end, nobody needs it any more', async () => {
    const bed = await wireBed();
    bed.slack.faults.add(NOT_IN_CHANNEL);
    await bed.records.open('i0', 'p0', bed.now());
    await bed.publish(proposed('p0'));
    await bed.pass(1);
    await bed.records.change('p0', { at: bed.at(), is: 'expired', because: 'late' }, { state: 'expired' });

    await bed.pass(25 * 3_600, 10_000);

    expect(bed.pending()).toBe(0);
    expect(inChannel(bed.slack)).toEqual([]);
  });
});

describe('A backlog', { timeout: 30_000 }, () => {
  it('of 200 incidents is told of in one message, then card by card, one a second, and nothing is lost', async () => {
    const bed = await wireBed();

    await openMany(bed, 200);
    await bed.pass(300);

    await expectOneCardEach(bed, 200);
    expect(inChannel(bed.slack)).toHaveLength(201);
    expect(inChannel(bed.slack)[1]?.text).toMatch(/199 cards follow/);
    expectPaced(bed.slack);
    expect(bed.slack.calls('chat.postMessage').at(-1)?.at.getTime()).toBeLessThan(
      Date.parse('2026-01-15T12:03:40.000Z'),
    );
    expect(bed.pending()).toBe(0);
    expect(bed.deliveries()).toBeLessThan(200 * 4);
    expect(bed.slack.calls().filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expectPolite(bed.slack);
  });

  it('sends those first that cannot wait', async () => {
    const bed = await wireBed();

    await openMany(bed, 30, (index) => index >= 25);
    await bed.pass(60);

    const order = jsonsOf(cardsOf(bed.slack)).flatMap((json) => /node i(\d+) is broken/.exec(json)?.[1] ?? []);
    expect(order).toHaveLength(30);
    const places = ['25', '26', '27', '28', '29'].map((id) => order.indexOf(id));
    expect(Math.max(...places)).toBeLessThan(9);
  });

  it('keeps the stages of each incident in their order, however they come', async () => {
    const bed = await wireBed();
    await openMany(bed, 12);
    await bed.pass(3);
    for (let step = 1; step <= 6; step++) {
      for (let index = 0; index < 12; index++) {
        await bed.records.change(`p${index}`, { at: bed.at(), is: `step ${step}: done`, because: `did ${step}` });
        await bed.publish({ event: 'applying', proposal: `p${index}` });
      }
      await bed.pass(7);
    }
    await bed.pass(120);

    for (let index = 0; index < 12; index++) {
      const ts = (await bed.store.get('post', `i${index}`))?.item.message ?? '';
      const told = [
        ...jsonsOf(repliesTo(bed.slack, ts))
          .join()
          .matchAll(/did (\d)/g),
      ].map(([, step]) => step);
      expect(told).toEqual(['1', '2', '3', '4', '5', '6']);
    }
    expectPaced(bed.slack);
  });

  it('is not held up by one whose delivery never comes', async () => {
    const bed = await wireBed();
    const ghosts = Array.from({ length: 3 }, (_, index) => `ghost${index}`);
    await bed.store.put('lane', { schema: 1, id: OPS, nextAt: bed.at(), isUnheard: false, waiting: ghosts }, 0);

    await openMany(bed, 20);
    await bed.pass(60);

    await expectOneCardEach(bed, 20);
    expectPaced(bed.slack);
  });

  it('does not hold up the emergency stop', async () => {
    const bed = await wireBed();
    await openMany(bed, 50);
    await bed.pass(2);

    await bed.publish({ event: 'stopped', cluster: 'c', who: 'slack:U0ADA' });
    await bed.pass(3);

    expect(inChannel(bed.slack).filter(({ text }) => text.startsWith('lab:'))).not.toEqual([]);
    await bed.pass(120);
    expectPaced(bed.slack);
  });
});
