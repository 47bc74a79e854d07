import { verifySlackRequest } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardBlocks, type HttpApp, START, startHttpApp } from './http-app.ts';
import { ADA, CHANNEL, type Forge, lambdaEvent, signatureOf } from './index.ts';

let bed: HttpApp;
beforeEach(async () => {
  bed = await startHttpApp();
});
afterEach(() => bed.stop());

/** Whether Bolt's own check takes the last request that the app bed.got. */
function verified(secret = bed.slack.signingSecret): boolean {
  const { headers, body } = bed.got.at(-1) ?? { headers: {}, body: Buffer.alloc(0) };
  const header = (name: string) => headers[name]?.join(', ') ?? '';
  try {
    verifySlackRequest({
      ...{ signingSecret: secret, body: body.toString(), nowMilliseconds: bed.now() },
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

describe('An interaction over HTTP', () => {
  it("carries Slack's signature, as Bolt checks it, and Slack's payload in a form", async () => {
    const delivery = await bed.slack.click(bed.card, 'approve', ADA);

    expect(verified()).toBe(true);
    expect(verified('another secret')).toBe(false);
    expect(delivery).toMatchObject({ acknowledged: true, status: 200 });
    const form = new URLSearchParams(bed.got[0]?.body.toString());
    expect([...form.keys()]).toEqual(['payload']);
    expect(JSON.parse(form.get('payload') ?? '')).toMatchObject({
      type: 'block_actions',
      user: { id: ADA, username: 'ada', name: 'ada', team_id: 'T0GLEANER' },
      team: { id: 'T0GLEANER', domain: 't0gleaner' },
      enterprise: null,
      is_enterprise_install: false,
      api_app_id: bed.slack.appId,
      channel: { id: CHANNEL, name: 'ops' },
      message: { ts: bed.card.ts, text: 'card', bot_id: bed.slack.botId, blocks: [{ block_id: 'decide' }] },
      trigger_id: expect.stringMatching(/^\d+\.\d+\.\w+$/),
      response_url: expect.stringContaining('/actions/T0GLEANER/'),
      actions: [{ type: 'button', action_id: 'approve', block_id: 'decide', value: 'opaque', style: 'primary' }],
    });
  });

  it('of a menu carries the choice, of an ephemeral message no message', async () => {
    const menu = await bed.slack.click(bed.card, 'snooze', ADA, { choose: 'hour' });
    const post = { channel: CHANNEL, user: ADA, text: 'ask', blocks: cardBlocks };
    await bed.client.apiCall('chat.postEphemeral', post);
    const [ask = bed.card] = bed.slack.ephemerals(ADA);
    const press = await bed.slack.click(ask, 'approve', ADA);

    expect(menu.payload).toMatchObject({ actions: [{ type: 'static_select', selected_option: { value: 'hour' } }] });
    expect(press.payload).toMatchObject({ container: { is_ephemeral: true, message_ts: ask.ts } });
    expect(press.payload).not.toHaveProperty('message');
  });

  it('cannot be made of a button that is not there, but of one that a stale screen still shows', async () => {
    await bed.client.chat.update({ channel: CHANNEL, ts: bed.card.ts, text: 'decided', blocks: [] });

    await expect(bed.slack.click(bed.card, 'approve', ADA)).rejects.toThrow('nothing to press is named approve');
    const stale = await bed.slack.click(bed.card, 'approve', ADA, { asOf: 0 });
    expect(stale.payload).toMatchObject({ actions: [{ value: 'opaque' }], message: { text: 'decided' } });
  });

  it('by a namesake of another workspace says which workspace', async () => {
    const namesake = bed.slack.add.user({ id: ADA, team: 'T0ACME', is_stranger: true });
    const { payload } = await bed.slack.click(bed.card, 'approve', namesake);

    expect(payload).toMatchObject({ user: { id: ADA, team_id: 'T0ACME' }, team: { id: 'T0GLEANER' } });
  });

  it('that is not answered in time, not with 2xx, or not at all is not acknowledged', async () => {
    bed.answering = 'never';
    const late = await bed.slack.click(bed.card, 'approve', ADA, { within: 100 });
    bed.answering = { status: 500 };
    const wrong = await bed.slack.click(bed.card, 'approve', ADA);
    const nobody = await bed.slack.click(bed.card, 'approve', ADA, { to: 'http://127.0.0.1:1/' });

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
    ['of six minutes ago', { timestamp: START / 1000 - 360 }],
    ['whose timestamp is not the signed one', { timestamps: [String(START / 1000 + 1)] }],
    ['whose body was changed', { tamper: (body) => Buffer.concat([body, Buffer.from('&x=1')]) }],
    ['that is compressed', { gzip: true }],
  ];
  it.each(forgeries)('%s does not pass the check of Bolt', async (_, forge) => {
    await bed.slack.click(bed.card, 'approve', ADA, { forge });

    expect(verified()).toBe(false);
  });

  it('may carry headers twice, another content type, and a body of any size', async () => {
    const forge: Forge = {
      signature: ['v0=aa', 'v0=bb'],
      contentType: 'text/plain',
      rewrite: () => 'x'.repeat(1_000_000),
    };
    await bed.slack.click(bed.card, 'approve', ADA, { forge });

    expect(bed.got[0]?.headers['x-slack-signature']).toEqual(['v0=aa', 'v0=bb']);
    expect(bed.got[0]?.headers['content-type']).toEqual(['text/plain']);
    expect(bed.got[0]?.body.length).toBe(1_000_000);
  });

  it('of another value is signed with it; replayed, it is the same to the byte', async () => {
    const delivery = await bed.slack.click(bed.card, 'approve', ADA, {
      alter: (payload) => ({ ...payload, api_app_id: 'A0EVIL' }),
    });
    expect(verified()).toBe(true);
    expect(delivery.payload).toMatchObject({ api_app_id: 'A0EVIL' });
    if (delivery.request === undefined) throw new Error('no request');
    await bed.slack.replay(delivery.request);

    expect(bed.got[1]?.body).toEqual(bed.got[0]?.body);
    expect(bed.got[1]?.headers['x-slack-signature']).toEqual(bed.got[0]?.headers['x-slack-signature']);
  });

  it('is an event of a function URL, in base64 too, with the same bytes', async () => {
    const { request } = await bed.slack.command('/gleaner', 'grüße', ADA);
    if (request === undefined) throw new Error('no request');
    const event = lambdaEvent(request, { base64: true });

    expect(event.isBase64Encoded).toBe(true);
    expect(Buffer.from(event.body, 'base64')).toEqual(bed.got[0]?.body);
    const timestamp = event.headers['x-slack-request-timestamp'] ?? '';
    expect(event.headers['x-slack-signature']).toBe(signatureOf(bed.slack.signingSecret, timestamp, request.body));
  });
});
