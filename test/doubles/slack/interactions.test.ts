import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifySlackRequest } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { portOf } from '../../kubernetes/loopback.ts';
import {
  ADA,
  CHANNEL,
  type Forge,
  lambdaEvent,
  type Message,
  type SlackDouble,
  signatureOf,
  startSlack,
} from './index.ts';

const start = Date.parse('2026-03-02T03:00:00Z');
let at = start;
let slack: SlackDouble;
let message: Message;

/** The app: it keeps what it got and answers as it is told. */
const got: { headers: IncomingMessage['headersDistinct']; body: Buffer }[] = [];
let answering: { status: number; headers?: Record<string, string>; body?: string } | 'never' = { status: 200 };
const app = createServer(async (request, response) => {
  got.push({ headers: request.headersDistinct, body: await buffer(request) });
  if (answering === 'never') return;
  response.writeHead(answering.status, answering.headers).end(answering.body ?? '');
});

const blocks = [
  {
    type: 'actions',
    block_id: 'decide',
    elements: [
      {
        type: 'button',
        action_id: 'approve',
        text: { type: 'plain_text', text: 'Approve' },
        value: 'opaque',
        style: 'primary',
      },
      {
        type: 'static_select',
        action_id: 'snooze',
        options: [{ text: { type: 'plain_text', text: '1 h' }, value: 'hour' }],
      },
    ],
  },
];
const client = () => new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } });
const modal = (text: string) => ({
  ...{ type: 'modal' as const, title: { type: 'plain_text' as const, text: 'Details' } },
  blocks: [{ type: 'section' as const, text: { type: 'plain_text' as const, text } }],
});

/** Whether Bolt's own check takes the last request that the app got. */
function verified(secret = slack.signingSecret): boolean {
  const { headers, body } = got.at(-1) ?? { headers: {}, body: Buffer.alloc(0) };
  const header = (name: string) => headers[name]?.join(', ') ?? '';
  try {
    verifySlackRequest({
      ...{ signingSecret: secret, body: body.toString(), nowMilliseconds: at },
      headers: {
        'x-slack-signature': header('x-slack-signature'),
        'x-slack-request-timestamp': Number(header('x-slack-request-timestamp')),
      },
    });
    return true;
  } catch (error) {
    // Anything else is a mistake of this test.
    if (!String(error).includes('Failed to verify authenticity')) throw error;
    return false;
  }
}

beforeEach(async () => {
  at = start;
  got.length = 0;
  answering = { status: 200 };
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const target = `http://127.0.0.1:${portOf(app.address())}/slack/events`;
  slack = await startSlack({ clock: { now: () => new Date(at) }, target, rates: false });
  await client().apiCall('chat.postMessage', { channel: CHANNEL, text: 'card', blocks });
  message = slack.messages(CHANNEL)[0] ?? slack.say(ADA, 'nothing was posted');
});
afterEach(async () => {
  await slack.stop();
  app.closeAllConnections();
  app.close();
  await once(app, 'close');
});

describe('An interaction over HTTP', () => {
  it("carries Slack's signature, as Bolt checks it, and Slack's payload in a form", async () => {
    const delivery = await slack.click(message, 'approve', ADA);

    expect(verified()).toBe(true);
    expect(verified('another secret')).toBe(false);
    expect(delivery).toMatchObject({ acknowledged: true, status: 200 });
    const form = new URLSearchParams(got[0]?.body.toString());
    expect([...form.keys()]).toEqual(['payload']);
    expect(JSON.parse(form.get('payload') ?? '')).toMatchObject({
      type: 'block_actions',
      user: { id: ADA, username: 'ada', name: 'ada', team_id: 'T0GLEANER' },
      team: { id: 'T0GLEANER', domain: 't0gleaner' },
      enterprise: null,
      is_enterprise_install: false,
      api_app_id: slack.appId,
      channel: { id: CHANNEL, name: 'ops' },
      message: { ts: message.ts, text: 'card', bot_id: slack.botId, blocks: [{ block_id: 'decide' }] },
      trigger_id: expect.stringMatching(/^\d+\.\d+\.\w+$/),
      response_url: expect.stringContaining('/actions/T0GLEANER/'),
      actions: [{ type: 'button', action_id: 'approve', block_id: 'decide', value: 'opaque', style: 'primary' }],
    });
  });

  it('of a menu carries the choice, of an ephemeral message no message', async () => {
    const menu = await slack.click(message, 'snooze', ADA, { choose: 'hour' });
    const post = { channel: CHANNEL, user: ADA, text: 'ask', blocks };
    await client().apiCall('chat.postEphemeral', post);
    const [ask = message] = slack.ephemerals(ADA);
    const press = await slack.click(ask, 'approve', ADA);

    expect(menu.payload).toMatchObject({ actions: [{ type: 'static_select', selected_option: { value: 'hour' } }] });
    expect(press.payload).toMatchObject({ container: { is_ephemeral: true, message_ts: ask.ts } });
    expect(press.payload).not.toHaveProperty('message');
  });

  it('cannot be made of a button that is not there, but of one that a stale screen still shows', async () => {
    await client().chat.update({ channel: CHANNEL, ts: message.ts, text: 'decided', blocks: [] });

    await expect(slack.click(message, 'approve', ADA)).rejects.toThrow('nothing to press is named approve');
    const stale = await slack.click(message, 'approve', ADA, { asOf: 0 });
    expect(stale.payload).toMatchObject({ actions: [{ value: 'opaque' }], message: { text: 'decided' } });
  });

  it('by a namesake of another workspace says which workspace', async () => {
    const namesake = slack.add.user({ id: ADA, team: 'T0ACME', is_stranger: true });
    const { payload } = await slack.click(message, 'approve', namesake);

    expect(payload).toMatchObject({ user: { id: ADA, team_id: 'T0ACME' }, team: { id: 'T0GLEANER' } });
  });

  it('that is not answered in time, not with 2xx, or not at all is not acknowledged', async () => {
    answering = 'never';
    const late = await slack.click(message, 'approve', ADA, { within: 100 });
    answering = { status: 500 };
    const wrong = await slack.click(message, 'approve', ADA);
    const nobody = await slack.click(message, 'approve', ADA, { to: 'http://127.0.0.1:1/' });

    expect([late, wrong, nobody].map(({ acknowledged, status, problem }) => [acknowledged, status, problem])).toEqual([
      [false, undefined, 'timeout'],
      [false, 500, undefined],
      [false, undefined, 'connection'],
    ]);
  });
});

describe('A forged request', () => {
  const forgeries: readonly (readonly [string, Forge])[] = [
    ['signed with another secret', { secret: 'other' }],
    ['with a signature of nothing', { signature: ['v0=00'] }],
    ['with no signature', { signature: [] }],
    ['of six minutes ago', { timestamp: start / 1000 - 360 }],
    ['whose timestamp is not the signed one', { timestamps: [String(start / 1000 + 1)] }],
    ['whose body was changed', { tamper: (body) => Buffer.concat([body, Buffer.from('&x=1')]) }],
    ['that is compressed', { gzip: true }],
  ];
  it.each(forgeries)('%s does not pass the check of Bolt', async (_, forge) => {
    await slack.click(message, 'approve', ADA, { forge });

    expect(verified()).toBe(false);
  });

  it('may carry headers twice, another content type, and a body of any size', async () => {
    const forge: Forge = {
      signature: ['v0=aa', 'v0=bb'],
      contentType: 'text/plain',
      rewrite: () => 'x'.repeat(1_000_000),
    };
    await slack.click(message, 'approve', ADA, { forge });

    expect(got[0]?.headers['x-slack-signature']).toEqual(['v0=aa', 'v0=bb']);
    expect(got[0]?.headers['content-type']).toEqual(['text/plain']);
    expect(got[0]?.body.length).toBe(1_000_000);
  });

  it('of another value is signed with it; replayed, it is the same to the byte', async () => {
    const delivery = await slack.click(message, 'approve', ADA, {
      alter: (payload) => ({ ...payload, api_app_id: 'A0EVIL' }),
    });
    expect(verified()).toBe(true);
    expect(delivery.payload).toMatchObject({ api_app_id: 'A0EVIL' });
    if (delivery.request === undefined) throw new Error('no request');
    await slack.replay(delivery.request);

    expect(got[1]?.body).toEqual(got[0]?.body);
    expect(got[1]?.headers['x-slack-signature']).toEqual(got[0]?.headers['x-slack-signature']);
  });

  it('is an event of a function URL, in base64 too, with the same bytes', async () => {
    const { request } = await slack.command('/gleaner', 'grüße', ADA);
    if (request === undefined) throw new Error('no request');
    const event = lambdaEvent(request, { base64: true });

    expect(event.isBase64Encoded).toBe(true);
    expect(Buffer.from(event.body, 'base64')).toEqual(got[0]?.body);
    const timestamp = event.headers['x-slack-request-timestamp'] ?? '';
    expect(event.headers['x-slack-signature']).toBe(signatureOf(slack.signingSecret, timestamp, request.body));
  });
});

describe('A trigger', () => {
  it('opens one modal', async () => {
    const { triggerId: trigger_id = '' } = await slack.click(message, 'approve', ADA);
    const open = () => client().views.open({ trigger_id, view: modal('one') });
    await expect(open()).resolves.toMatchObject({ view: { id: expect.any(String), hash: expect.any(String) } });

    await expect(open()).rejects.toThrow('exchanged_trigger_id');
    expect(slack.openView(ADA)).toMatchObject({ state: 'open', user: ADA });
  });

  it('is dead after three seconds, and outlives a view that is refused', async () => {
    const { triggerId: trigger_id = '' } = await slack.click(message, 'approve', ADA);
    const open = (text: string) => client().views.open({ trigger_id, view: modal(text) });
    at += 3_000;
    await expect(open('x'.repeat(3_001))).rejects.toThrow('invalid_arguments');
    at += 1;

    await expect(open('one')).rejects.toThrow('expired_trigger_id');
  });

  it('lets a view be updated while its hash is the one that was seen', async () => {
    const { triggerId: trigger_id = '' } = await slack.click(message, 'approve', ADA);
    const { view } = await client().views.open({ trigger_id, view: modal('one') });
    const update = () => client().views.update({ view_id: view?.id ?? '', hash: view?.hash ?? '', view: modal('two') });
    await update();

    await expect(update()).rejects.toThrow('hash_conflict');
    expect(slack.openView(ADA)?.contents).toHaveLength(2);
  });
});

describe('A response_url', () => {
  const reply = async (url: string | undefined, body: object) => {
    const response = await fetch(url ?? '', { method: 'POST', body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };

  it('is good for five uses', async () => {
    const { responseUrl } = await slack.click(message, 'approve', ADA);
    for (let use = 1; use <= 5; use += 1)
      expect(await reply(responseUrl, { text: `${use}` })).toEqual([200, { ok: true }]);

    expect(await reply(responseUrl, { text: '6' })).toEqual([404, { ok: false, error: 'used_url' }]);
    expect(slack.ephemerals(ADA)).toHaveLength(5);
  });

  it('is good for thirty minutes', async () => {
    const { responseUrl } = await slack.click(message, 'approve', ADA);
    at += 30 * 60_000;
    expect(await reply(responseUrl, { text: 'in time' })).toEqual([200, { ok: true }]);
    at += 1;

    expect(await reply(responseUrl, { text: 'late' })).toEqual([404, { ok: false, error: 'expired_url' }]);
  });

  it('replaces and deletes the original, speaks to all, and keeps the limits', async () => {
    const { responseUrl } = await slack.click(message, 'approve', ADA);
    await reply(responseUrl, { text: 'new', replace_original: true });
    expect(slack.message(CHANNEL, message.ts)).toMatchObject({ text: 'new', edited: true });
    await reply(responseUrl, { text: 'all', response_type: 'in_channel' });
    expect(slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['new', 'all']);
    const header = { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } };
    expect(await reply(responseUrl, { blocks: [header] })).toEqual([500, { ok: false, error: 'invalid_blocks' }]);
    await reply(responseUrl, { delete_original: true });

    expect(slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['all']);
    expect(slack.message(CHANNEL, message.ts).deletedAt).toEqual(new Date(at));
  });
});

describe('An event that is not acknowledged', () => {
  const event = { type: 'app_mention', user: ADA, text: 'hi', channel: CHANNEL, ts: '1.000001' };

  it('comes again at once, after one minute and after five, with its number and the reason, and no more', async () => {
    answering = { status: 500 };
    await slack.event(event);
    const counts: number[] = [];
    for (const wait of [0, 59_999, 1, 240_000, 3_600_000]) {
      at += wait;
      counts.push((await slack.retryEvents()).length);
    }

    expect(counts).toEqual([1, 0, 1, 1, 0]);
    expect(got.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']])).toEqual([
      [undefined, undefined],
      ...['1', '2', '3'].map((num) => [[num], ['http_error']]),
    ]);
    expect(new Set(got.map(({ body }) => JSON.parse(body.toString()).event_id)).size).toBe(1);
  });

  it('comes no more where the app says so, or once it is acknowledged', async () => {
    answering = { status: 500, headers: { 'x-slack-no-retry': '1' } };
    await slack.event(event);
    expect(await slack.retryEvents()).toEqual([]);
    answering = { status: 500 };
    await slack.event(event);
    answering = { status: 200 };
    expect(await slack.retryEvents()).toMatchObject([{ acknowledged: true }]);
    at += 600_000;

    expect(await slack.retryEvents()).toEqual([]);
  });
});
