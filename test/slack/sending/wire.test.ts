import { describe, expect, it } from 'vitest';
import { ADA, CHANNEL, type Fault, type Message, type SlackDouble } from '../../doubles/slack/index.ts';
import type { Bed } from './bed.ts';
import { wireBed } from './wire-bed.ts';

const proposed = (proposal: string) => ({ event: 'proposed' as const, proposal });
const isCard = ({ blocks, threadTs }: Message) =>
  threadTs === undefined && JSON.stringify(blocks).includes('gleaner:details');
const cardsOf = (slack: SlackDouble) => slack.messages(CHANNEL).filter(isCard);

async function openMany(bed: Bed, count: number) {
  for (let index = 0; index < count; index++) {
    await bed.records.open(`i${index}`, `p${index}`, bed.now());
    await bed.publish(proposed(`p${index}`));
  }
}

async function expectOneCardEach(bed: Bed & { slack: SlackDouble }, count: number) {
  const known = await Promise.all(
    Array.from({ length: count }, async (_, index) => (await bed.store.get('post', `i${index}`))?.item.message),
  );
  expect(new Set(known).size).toBe(count);
  expect(cardsOf(bed.slack).map(({ ts }) => ts)).toEqual(expect.arrayContaining(known));
  return cardsOf(bed.slack).length - count;
}

/** No call was one too many; every message obeyed Slack's limits and made nothing active that was not meant. */
function expectPolite({ slack }: { slack: SlackDouble }) {
  expect(
    slack.calls().filter(({ outcome }) => outcome === 'invalid_blocks' || outcome === 'invalid_arguments'),
  ).toEqual([]);
  const active = slack.messages().flatMap(({ versions }) => versions.flatMap(({ entities }) => entities));
  expect(active.filter(({ kind }) => kind !== 'user')).toEqual([]);
}

describe('Over the wire', { timeout: 60_000 }, () => {
  it('a card is posted, follows its record by edits, and its thread tells the stages', async () => {
    const bed = await wireBed();
    await openMany(bed, 1);
    await bed.pass(5);
    await bed.records.change(
      'p0',
      { at: bed.at(), is: 'rejected', who: `slack:${ADA}`, because: 'known' },
      { state: 'rejected' },
    );
    await bed.publish({ event: 'expired', proposal: 'p0' });
    await bed.pass(10);

    const [card, ...others] = cardsOf(bed.slack);
    expect(others).toEqual([]);
    expect(card?.versions.map(({ by }) => by)).toEqual(['chat.postMessage', 'chat.update']);
    expect(bed.slack.thread(CHANNEL, card?.ts ?? '')).toHaveLength(2);
    expectPolite(bed);
  });

  it.each<[string, Fault, { orphans?: number }]>([
    ['429 for two minutes', { kind: 'ratelimited', seconds: 120 }, {}],
    ['5xx', { kind: 'status', status: 503 }, {}],
    ['a proxy in between', { kind: 'garbled' }, {}],
    ['a hang', { kind: 'hang' }, {}],
    ['a reset', { kind: 'reset' }, {}],
    ['an answer that is lost', { kind: 'lost-answer' }, { orphans: 1 }],
    ['an answer that hangs', { kind: 'hung-answer' }, { orphans: 1 }],
    ['not_in_channel', { kind: 'error', error: 'not_in_channel' }, {}],
    ['is_archived', { kind: 'error', error: 'is_archived' }, {}],
    ['token_revoked', { kind: 'error', error: 'token_revoked' }, {}],
    ['missing_scope', { kind: 'error', error: 'missing_scope', needed: 'chat:write' }, {}],
    ['internal_error', { kind: 'error', error: 'internal_error' }, {}],
    ['something new', { kind: 'error', error: 'some_new_error' }, {}],
  ])(
    '%s is survived: each card is there once and up to date, in order, and none is lost',
    async (_what, fault, { orphans = 0 }) => {
      const bed = await wireBed();
      const remove = bed.slack.faults.add(fault, orphans > 0 ? { times: 1 } : {});

      await openMany(bed, 3);
      await bed.pass(60, 1_000);
      for (const id of ['p0', 'p1', 'p2']) {
        await bed.records.change(id, { at: bed.at(), is: 'rejected', because: 'known' }, { state: 'rejected' });
        await bed.publish({ event: 'expired', proposal: id });
      }
      await bed.pass(60, 1_000);
      remove();
      await bed.pass(120, 1_000);

      expect(await expectOneCardEach(bed, 3)).toBe(orphans);
      for (const id of ['i0', 'i1', 'i2']) {
        const ts = (await bed.store.get('post', id))?.item.message ?? '';
        expect(JSON.stringify(bed.slack.message(CHANNEL, ts).blocks)).not.toContain('gleaner:approve');
      }
      expect(bed.pending()).toBe(0);
      expectPolite(bed);
    },
  );

  it.each(['msg_blocks_too_long', 'invalid_blocks'])('%s makes it a plain message', async (error) => {
    const bed = await wireBed();
    bed.slack.faults.add({ kind: 'error', error }, { times: 1 });

    await openMany(bed, 1);
    await bed.pass(10);

    expect(bed.slack.messages(CHANNEL).map(({ text }) => text)).toEqual([expect.stringMatching(/gleaner show p0/)]);
  });

  it('a channel that is left, archived, or entered again is told of after five minutes, and of its return', async () => {
    const bed = await wireBed();
    bed.slack.channel(CHANNEL).members.delete(bed.slack.botUserId);
    await openMany(bed, 2);
    await bed.pass(200, 1_000);
    bed.slack.channel(CHANNEL).archived = true;
    await bed.pass(101, 1_000);
    expect(bed.facts).toMatchObject([{ event: 'unheard', because: expect.stringMatching(/unarchive the channel/) }]);

    bed.slack.channel(CHANNEL).archived = false;
    bed.slack.channel(CHANNEL).members.add(bed.slack.botUserId);
    await bed.pass(120, 1_000);

    expect(bed.facts.map(({ event }) => event)).toEqual(['unheard', 'heard']);
    expect(await expectOneCardEach(bed, 2)).toBe(0);
    expectPolite(bed);
  });

  it('a card that somebody deletes is posted anew', async () => {
    const bed = await wireBed();
    await openMany(bed, 1);
    await bed.pass(5);
    for (const message of bed.slack.messages(CHANNEL)) message.deletedAt = bed.now();
    await bed.records.change('p0', { at: bed.at(), is: 'rejected', because: 'known' }, { state: 'rejected' });
    await bed.publish({ event: 'expired', proposal: 'p0' });
    await bed.pass(10);

    expect(await expectOneCardEach(bed, 1)).toBe(0);
  });

  it('200 incidents at once are told of in one message and then one by one, and Slack never has to say that it is too much', async () => {
    const bed = await wireBed();

    await openMany(bed, 200);
    await bed.pass(260, 500);

    expect(await expectOneCardEach(bed, 200)).toBe(0);
    expect(bed.slack.messages(CHANNEL)).toHaveLength(201);
    expect(bed.slack.calls().filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(bed.pending()).toBe(0);
    expectPolite(bed);
  });

  it('no token and no reply address stands in anything that is kept or logged', async () => {
    const bed = await wireBed();
    bed.slack.token(bed.slack.botToken).state = 'token_revoked';
    await openMany(bed, 2);
    await bed.publish({
      event: 'refused',
      because: 'no',
      click: {
        ...{ id: 'c1', who: `slack:${ADA}`, choice: 'approve' },
        from: { team: 'T0GLEANER', channel: CHANNEL, reply: `${bed.slack.apiUrl.replace('/api/', '')}/canary-7b1e` },
      },
    });
    await bed.pass(400, 1_000);

    const rows = await Promise.all((['post', 'lane', 'receipt'] as const).map((table) => bed.store.list(table)));
    const kept = JSON.stringify([rows, bed.warnings, bed.facts]);
    expect(kept).toContain('token_revoked');
    expect(kept).not.toContain('xoxb-');
    expect(kept).not.toContain('canary');
  });
});
