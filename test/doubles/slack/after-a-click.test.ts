import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpApp, modal, startHttpApp } from './http-app.ts';
import { ADA, CHANNEL } from './index.ts';

let bed: HttpApp;
beforeEach(async () => {
  bed = await startHttpApp();
});
afterEach(() => bed.stop());

describe('A trigger', () => {
  it('opens one modal', async () => {
    const { triggerId: trigger_id = '' } = await bed.slack.click(bed.card, 'approve', ADA);
    const open = () => bed.client.views.open({ trigger_id, view: modal('one') });
    await expect(open()).resolves.toMatchObject({ view: { id: expect.any(String), hash: expect.any(String) } });

    await expect(open()).rejects.toThrow('exchanged_trigger_id');
    expect(bed.slack.openView(ADA)).toMatchObject({ state: 'open', user: ADA });
  });

  it('is dead after three seconds, and outlives a view that is refused', async () => {
    const { triggerId: trigger_id = '' } = await bed.slack.click(bed.card, 'approve', ADA);
    const open = (text: string) => bed.client.views.open({ trigger_id, view: modal(text) });
    bed.pass(3_000);
    await expect(open('x'.repeat(3_001))).rejects.toThrow('invalid_arguments');
    bed.pass(1);

    await expect(open('one')).rejects.toThrow('expired_trigger_id');
  });

  it('lets a view be updated while its hash is the one that was seen', async () => {
    const { triggerId: trigger_id = '' } = await bed.slack.click(bed.card, 'approve', ADA);
    const { view } = await bed.client.views.open({ trigger_id, view: modal('one') });
    const update = () =>
      bed.client.views.update({ view_id: view?.id ?? '', hash: view?.hash ?? '', view: modal('two') });
    await update();

    await expect(update()).rejects.toThrow('hash_conflict');
    expect(bed.slack.openView(ADA)?.contents).toHaveLength(2);
  });
});

describe('A response_url', () => {
  const reply = async (url: string | undefined, body: object) => {
    const response = await fetch(url ?? '', { method: 'POST', body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };

  it('is good for five uses', async () => {
    const { responseUrl } = await bed.slack.click(bed.card, 'approve', ADA);
    for (let use = 1; use <= 5; use += 1)
      expect(await reply(responseUrl, { text: `${use}` })).toEqual([200, { ok: true }]);

    expect(await reply(responseUrl, { text: '6' })).toEqual([404, { ok: false, error: 'used_url' }]);
    expect(bed.slack.ephemerals(ADA)).toHaveLength(5);
  });

  it('is good for thirty minutes', async () => {
    const { responseUrl } = await bed.slack.click(bed.card, 'approve', ADA);
    bed.pass(30 * 60_000);
    expect(await reply(responseUrl, { text: 'in time' })).toEqual([200, { ok: true }]);
    bed.pass(1);

    expect(await reply(responseUrl, { text: 'late' })).toEqual([404, { ok: false, error: 'expired_url' }]);
  });

  it('replaces and deletes the original, speaks to all, and keeps the limits', async () => {
    const { responseUrl } = await bed.slack.click(bed.card, 'approve', ADA);
    await reply(responseUrl, { text: 'new', replace_original: true });
    expect(bed.slack.message(CHANNEL, bed.card.ts)).toMatchObject({ text: 'new', edited: true });
    await reply(responseUrl, { text: 'all', response_type: 'in_channel' });
    expect(bed.slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['new', 'all']);
    const header = { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } };
    expect(await reply(responseUrl, { blocks: [header] })).toEqual([500, { ok: false, error: 'invalid_blocks' }]);
    await reply(responseUrl, { delete_original: true });

    expect(bed.slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['all']);
    expect(bed.slack.message(CHANNEL, bed.card.ts).deletedAt).toEqual(new Date(bed.now()));
  });
});

describe('An event that is not acknowledged', () => {
  const event = { type: 'app_mention', user: ADA, text: 'hi', channel: CHANNEL, ts: '1.000001' };

  it('comes again at once, after one minute and after five, with its number and the reason, and no more', async () => {
    bed.answering = { status: 500 };
    await bed.slack.event(event);
    const counts: number[] = [];
    for (const wait of [0, 59_999, 1, 240_000, 3_600_000]) {
      bed.pass(wait);
      counts.push((await bed.slack.retryEvents()).length);
    }

    expect(counts).toEqual([1, 0, 1, 1, 0]);
    expect(bed.got.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']])).toEqual([
      [undefined, undefined],
      ...['1', '2', '3'].map((num) => [[num], ['http_error']]),
    ]);
    expect(new Set(bed.got.map(({ body }) => JSON.parse(body.toString()).event_id)).size).toBe(1);
  });

  it('comes no more where the app says so, or once it is acknowledged', async () => {
    bed.answering = { status: 500, headers: { 'x-slack-no-retry': '1' } };
    await bed.slack.event(event);
    expect(await bed.slack.retryEvents()).toEqual([]);
    bed.answering = { status: 500 };
    await bed.slack.event(event);
    bed.answering = { status: 200 };
    expect(await bed.slack.retryEvents()).toMatchObject([{ acknowledged: true }]);
    bed.pass(600_000);

    expect(await bed.slack.retryEvents()).toEqual([]);
  });
});
