import { describe, expect, it } from 'vitest';
import { type Bed, bedWithMemory, OPS } from './bed.ts';
import type { Fault, MemorySlack } from './memory-slack.ts';

const proposed = (proposal: string) => ({ event: 'proposed' as const, proposal });
const NOT_IN_CHANNEL: Fault = { is: 'refused', code: 'not_in_channel', because: 'Slack refuses: not_in_channel' };
const posts = ({ calls }: MemorySlack) => calls.filter(({ method }) => method === 'chat.postMessage');

/** Opens so many incidents at once and tells of them. */
async function openMany(bed: Bed, count: number, urgent: (index: number) => boolean = () => false) {
  for (let index = 0; index < count; index++) {
    await bed.records.open(`i${index}`, `p${index}`, bed.now(), { urgent: urgent(index) });
    await bed.publish(proposed(`p${index}`));
  }
}

/** Every message of the channel once, and each incident's own one known. */
async function expectOneCardEach(bed: Bed & { slack: MemorySlack }, count: number) {
  const cards = bed.slack.inChannel(OPS).filter(({ json }) => json.includes('gleaner:details'));
  const known = await Promise.all(
    Array.from({ length: count }, async (_, index) => (await bed.store.get('post', `i${index}`))?.item.message),
  );
  expect(cards.map(({ ts }) => ts).sort()).toEqual(known.sort());
  expect(new Set(known).size).toBe(count);
}

describe('While Slack', { timeout: 30_000 }, () => {
  it.each<[string, () => Fault]>([
    ['limits for two minutes', () => ({ is: 'throttled', retryAfter: 120_000, because: 'Slack asks to wait 120 s' })],
    ['cannot be reached', () => ({ is: 'unreachable', because: 'ECONNREFUSED' })],
    ['answers 5xx', () => ({ is: 'uncertain', because: 'HTTP 503' })],
    ['refuses the channel', () => NOT_IN_CHANNEL],
    ['has revoked the token', () => ({ is: 'refused', code: 'token_revoked', because: 'token_revoked' })],
    ['has archived the channel', () => ({ is: 'refused', code: 'is_archived', because: 'is_archived' })],
  ])('%s, cards wait, each is posted once afterwards, and no limit is passed', async (_what, fault) => {
    const bed = await bedWithMemory();
    const begin = bed.now().getTime();
    bed.slack.fault = () => (bed.now().getTime() - begin < 120_000 ? fault() : undefined);

    await openMany(bed, 5);
    await bed.pass(400);

    await expectOneCardEach(bed, 5);
    expect(bed.facts).toEqual([]);
    expect(bed.pending()).toBe(0);
    const tried = bed.slack.calls.filter(({ is }) => is !== 'ok').length;
    expect(tried).toBeLessThanOrEqual(8);
    expectPaced(bed.slack);
  });

  it('is silent for five minutes, that is told once, and once that it is heard again', async () => {
    const bed = await bedWithMemory();
    bed.slack.fault = () => NOT_IN_CHANNEL;

    await openMany(bed, 20);
    await bed.pass(299);
    expect(bed.facts).toEqual([]);
    await bed.pass(2);
    const unheard = { event: 'unheard', channel: OPS, since: '2026-01-15T12:00:00.000Z' };
    expect(bed.facts).toEqual([{ ...unheard, because: expect.stringMatching(/not_in_channel; invite the app/) }]);
    await bed.pass(3_600, 2_000);
    expect(bed.facts).toHaveLength(1);
    bed.slack.fault = () => undefined;
    await bed.pass(600, 500);

    expect(bed.facts.slice(1)).toEqual([{ event: 'heard', channel: OPS, because: 'messages get through again' }]);
    await expectOneCardEach(bed, 20);
    expect(bed.pending()).toBe(0);
  });

  it('is out of order for an hour, it is asked less and less often', async () => {
    const bed = await bedWithMemory();
    bed.slack.fault = () => ({ is: 'unreachable', because: 'ECONNREFUSED' });

    await openMany(bed, 30);
    await bed.pass(3_600, 2_000);

    expect(bed.slack.calls.length).toBeLessThan(70);
    expect(bed.deliveries()).toBeLessThan(30 * 75);
    expect(bed.pending()).toBe(30);
  });

  it('loses an answer, the card is posted again, and its buttons are those that count', async () => {
    const bed = await bedWithMemory();
    let lost = 0;
    bed.slack.fault = () => (lost++ === 0 ? { is: 'lost' } : undefined);

    await openMany(bed, 1);
    await bed.pass(60);

    const [, second, ...others] = bed.slack.inChannel(OPS);
    expect(others).toEqual([]);
    expect((await bed.store.get('post', 'i0'))?.item.message).toBe(second?.ts);
  });

  it('refuses one channel, others get their cards', async () => {
    const bed = await bedWithMemory({ channelOf: ({ incident }) => (incident === 'i0' ? 'C0OTHER' : OPS) });
    bed.slack.fault = (_method, { channel }) => (channel === 'C0OTHER' ? NOT_IN_CHANNEL : undefined);

    await openMany(bed, 3);
    await bed.pass(301);

    // Those who read the channel that works are told of the other one.
    expect(bed.slack.inChannel(OPS).map(({ texts }) => /C0OTHER/.test(texts[0] ?? ''))).toEqual([false, false, true]);
    expect(bed.facts).toMatchObject([{ event: 'unheard', channel: 'C0OTHER' }]);
  });

  it('keeps a card from being posted for a day after its end, nobody needs it any more', async () => {
    const bed = await bedWithMemory();
    bed.slack.fault = () => NOT_IN_CHANNEL;
    await bed.records.open('i0', 'p0', bed.now());
    await bed.publish(proposed('p0'));
    await bed.pass(1);
    await bed.records.change('p0', { at: bed.at(), is: 'expired', because: 'late' }, { state: 'expired' });

    await bed.pass(25 * 3_600, 10_000);

    expect(bed.pending()).toBe(0);
    expect(bed.slack.inChannel(OPS)).toEqual([]);
  });
});

describe('A backlog', { timeout: 30_000 }, () => {
  it('of 200 incidents is told of in one message, then card by card, one a second, and nothing is lost', async () => {
    const bed = await bedWithMemory();

    await openMany(bed, 200);
    await bed.pass(300);

    await expectOneCardEach(bed, 200);
    expect(bed.slack.inChannel(OPS)).toHaveLength(201);
    expect(bed.slack.inChannel(OPS)[1]?.texts[0]).toMatch(/199 cards follow/);
    expectPaced(bed.slack);
    expect(posts(bed.slack).at(-1)?.at).toBeLessThan(Date.parse('2026-01-15T12:03:40.000Z'));
    expect(bed.pending()).toBe(0);
    expect(bed.deliveries()).toBeLessThan(200 * 4);
  });

  it('sends those first that cannot wait', async () => {
    const bed = await bedWithMemory();

    await openMany(bed, 30, (index) => index >= 25);
    await bed.pass(60);

    const order = bed.slack
      .inChannel(OPS)
      .flatMap(({ json }) => /node i(\d+) is broken/.exec(json.includes('gleaner:details') ? json : '')?.[1] ?? []);
    expect(order).toHaveLength(30);
    const places = ['25', '26', '27', '28', '29'].map((id) => order.indexOf(id));
    expect(Math.max(...places)).toBeLessThan(9);
  });

  it('keeps the stages of each incident in their order, however they come', async () => {
    const bed = await bedWithMemory();
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
      const told = bed.slack
        .threadOf(ts)
        .flatMap(({ json }) => [...json.matchAll(/did (\d)/g)].map(([, step]) => step));
      expect(told).toEqual(['1', '2', '3', '4', '5', '6']);
    }
    expectPaced(bed.slack);
  });

  it('is not held up by one whose delivery never comes', async () => {
    const bed = await bedWithMemory();
    const ghosts = Array.from({ length: 3 }, (_, index) => `ghost${index}`);
    await bed.store.put('lane', { schema: 1, id: OPS, nextAt: bed.at(), isUnheard: false, waiting: ghosts }, 0);

    await openMany(bed, 20);
    await bed.pass(60);

    await expectOneCardEach(bed, 20);
    expectPaced(bed.slack);
  });

  it('does not hold up the emergency stop', async () => {
    const bed = await bedWithMemory();
    await openMany(bed, 50);
    await bed.pass(2);

    await bed.publish({ event: 'stopped', cluster: 'c', who: 'slack:U0ADA' });
    await bed.pass(3);

    expect(bed.slack.inChannel(OPS).filter(({ texts }) => texts[0]?.startsWith('lab:'))).not.toEqual([]);
    await bed.pass(120);
    expectPaced(bed.slack);
  });
});

/** Never two messages to a channel within a second, nor more changes than 50 a minute. */
function expectPaced({ calls }: MemorySlack) {
  const sent = calls.filter(({ args, method }) => args.channel === OPS && method !== 'chat.postEphemeral');
  for (const [index, { at }] of sent.entries()) {
    const before = sent[index - 1];
    if (before) expect(at - before.at).toBeGreaterThanOrEqual(1_000);
  }
  for (const { at } of sent) {
    const minute = sent.filter((one) => one.method === 'chat.update' && one.at >= at && one.at < at + 60_000);
    expect(minute.length).toBeLessThanOrEqual(50);
  }
}
