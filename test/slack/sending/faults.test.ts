import { describe, expect, it } from 'vitest';
import { ADA, CHANNEL, type Fault } from '../../doubles/slack/index.ts';
import { expectOneCardEach, expectPaced, expectPolite, jsonOf, openMany } from './seen.ts';
import { BRIEFLY, wireBed } from './wire-bed.ts';

describe('Slack in trouble', { timeout: 60_000 }, () => {
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
      const bed = await wireBed(fault.kind === 'hang' || fault.kind === 'hung-answer' ? { timeout: BRIEFLY } : {});
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

      await expectOneCardEach(bed, 3, orphans);
      for (const id of ['i0', 'i1', 'i2']) {
        const ts = (await bed.store.get('post', id))?.item.message ?? '';
        expect(jsonOf(bed.slack.message(CHANNEL, ts))).not.toContain('gleaner:approve');
      }
      expect(bed.slack.calls().filter(({ outcome }) => outcome !== 'ok').length).toBeLessThanOrEqual(8);
      expect(bed.facts).toEqual([]);
      expect(bed.pending()).toBe(0);
      expectPaced(bed.slack);
      expectPolite(bed.slack);
    },
  );

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
    await expectOneCardEach(bed, 2);
    expectPolite(bed.slack);
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
