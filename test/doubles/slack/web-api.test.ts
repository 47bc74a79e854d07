import { LogLevel, WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADA, BOB, CHANNEL, type Fault, GROUP, type SlackDouble, startSlack } from './index.ts';

const start = Date.parse('2026-03-02T03:00:00Z');
let at = start;
let slack: SlackDouble;

const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};
const clientOf = (token = slack.botToken, timeout = 0) =>
  new WebClient(token, {
    ...{
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout,
      logger: silent,
    },
  });
const section = (text: string) => [{ type: 'section', text: { type: 'mrkdwn', text } }];
const say = (text: string, client = clientOf()) => client.chat.postMessage({ channel: CHANNEL, text });

beforeEach(async () => {
  at = start;
  slack = await startSlack({ clock: { now: () => new Date(at) } });
});
afterEach(() => slack.stop());

describe('The Slack double, to the unmodified WebClient', () => {
  it('posts, updates in place and keeps every version', async () => {
    const client = clientOf();
    const posted = await client.chat.postMessage({ channel: CHANNEL, text: 'one', blocks: section('*one*') });
    at += 5_000;
    await client.chat.update({ channel: CHANNEL, ts: posted.ts ?? '', text: 'two', blocks: section('two') });

    const message = slack.message(CHANNEL, posted.ts ?? '');
    expect(message.versions.map(({ by, text, at: when }) => [by, text, when.toISOString()])).toEqual([
      ['chat.postMessage', 'one', '2026-03-02T03:00:00.000Z'],
      ['chat.update', 'two', '2026-03-02T03:00:05.000Z'],
    ]);
    expect(message.blocks).toMatchObject([{ block_id: expect.any(String), text: { text: 'two', verbatim: false } }]);
    expect(slack.calls('chat.update')).toMatchObject([{ token: slack.botToken, outcome: 'ok' }]);
  });

  it('keeps the blocks that an update does not give, and takes away those that it empties', async () => {
    const client = clientOf();
    const { ts = '' } = await client.chat.postMessage({ channel: CHANNEL, text: 'one', blocks: section('kept') });

    await client.chat.update({ channel: CHANNEL, ts, text: 'two' });
    expect(slack.message(CHANNEL, ts).blocks).toHaveLength(1);
    await client.chat.update({ channel: CHANNEL, ts, text: 'three', blocks: [] });
    expect(slack.message(CHANNEL, ts).blocks).toHaveLength(0);
  });

  it('takes JSON bodies as it takes forms', async () => {
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ channel: CHANNEL, text: 'häh?', blocks: section('häh?') }),
    });

    expect(await response.json()).toMatchObject({ ok: true, message: { text: 'häh?', bot_id: slack.botId } });
    expect(response.headers.get('x-oauth-scopes')).toContain('chat:write');
  });

  it('threads replies, links to them and forgets what is deleted', async () => {
    slack.rates.enforced = false;
    const client = clientOf();
    const { ts = '' } = await say('parent');
    const { ts: reply = '' } = await client.chat.postMessage({ channel: CHANNEL, text: 'reply', thread_ts: ts });
    await client.chat.delete({ channel: CHANNEL, ts: (await say('gone')).ts ?? '' });

    const { messages } = await client.conversations.replies({ channel: CHANNEL, ts });
    expect(messages?.map(({ text }) => text)).toEqual(['parent', 'reply']);
    const history = await client.conversations.history({ channel: CHANNEL });
    expect(history.messages).toMatchObject([{ text: 'parent', reply_count: 1, latest_reply: reply }]);
    const { permalink } = await client.chat.getPermalink({ channel: CHANNEL, message_ts: reply });
    expect(permalink).toMatch(/^https:\/\/t0gleaner\.slack\.com\/archives\/C0OPS\/p\d{16}\?thread_ts=/);
    expect(slack.thread(CHANNEL, ts)).toHaveLength(2);
  });

  it('shows an ephemeral message to one person and lets nobody update it', async () => {
    const client = clientOf();
    const { message_ts: ts = '' } = await client.chat.postEphemeral({ channel: CHANNEL, user: ADA, text: 'psst' });

    expect(slack.ephemerals(ADA).map(({ text }) => text)).toEqual(['psst']);
    expect(slack.messages(CHANNEL)).toEqual([]);
    await expect(client.chat.update({ channel: CHANNEL, ts, text: 'x' })).rejects.toThrow('message_not_found');
  });

  it('knows guests, strangers, bots, the deactivated and namesakes of other workspaces', async () => {
    slack.add.team({ id: 'T0ACME' });
    slack.add.channel({ id: 'C0SHARED', sharedWith: ['T0ACME'] });
    slack.add.user({ id: 'U0GUEST', is_restricted: true });
    slack.add.user({ id: 'U0PARTNER', team: 'T0ACME', is_stranger: true });
    slack.add.user({ id: ADA, team: 'T0ACME', real_name: 'Not Ada' });
    slack.user(BOB).deleted = true;
    const info = async (user: string) => (await clientOf().users.info({ user })).user;

    expect(await info('U0GUEST')).toMatchObject({ is_restricted: true, is_ultra_restricted: false });
    expect(await info('U0PARTNER')).toMatchObject({ is_stranger: true, team_id: 'T0ACME' });
    expect(await info(BOB)).toMatchObject({ deleted: true });
    expect(await info(slack.botUserId)).toMatchObject({ is_bot: true });
    expect(await info(ADA)).toMatchObject({ real_name: 'Ada Lovelace', team_id: 'T0GLEANER' });
    await expect(info('U0NOBODY')).rejects.toThrow('user_not_found');
  });

  it('lists the members of a group as they are now, and no disabled group', async () => {
    const members = async () => (await clientOf().usergroups.users.list({ usergroup: GROUP })).users;

    expect(await members()).toEqual([ADA, BOB]);
    slack.group(GROUP).members.delete(BOB);
    expect(await members()).toEqual([ADA]);
    slack.group(GROUP).enabled = false;
    await expect(members()).rejects.toThrow('no_such_subteam');
    slack.add.team({ id: 'T0GLEANER', paid: false });
    await expect(members()).rejects.toThrow('plan_upgrade_required');
  });

  it('pages through a long history', async () => {
    slack.rates.enforced = false;
    for (const text of ['a', 'b', 'c']) await say(text);
    const first = await clientOf().conversations.history({ channel: CHANNEL, limit: 2 });
    const cursor = first.response_metadata?.next_cursor ?? '';
    const second = await clientOf().conversations.history({ channel: CHANNEL, limit: 2, cursor });

    expect([first, second].map(({ messages }) => messages?.map(({ text }) => text))).toEqual([['c', 'b'], ['a']]);
  });
});

describe('The Slack double refuses as Slack does:', () => {
  const refusals: readonly (readonly [string, () => unknown])[] = [
    ['channel_not_found', () => clientOf().chat.postMessage({ channel: 'C0NONE', text: 'x' })],
    ['not_in_channel', () => slack.channel(CHANNEL).members.delete(slack.botUserId) && say('x')],
    ['is_archived', () => Object.assign(slack.channel(CHANNEL), { archived: true }) && say('x')],
    ['no_text', () => say('')],
    ['msg_too_long', () => say('x'.repeat(40_001))],
    [
      'cannot_reply_to_message',
      () => clientOf().chat.postMessage({ channel: CHANNEL, text: 'x', thread_ts: '1.000001' }),
    ],
    [
      'invalid_blocks',
      () => clientOf().chat.postMessage({ channel: CHANNEL, text: 'x', blocks: section('x'.repeat(3_001)) }),
    ],
    ['message_not_found', () => clientOf().chat.update({ channel: CHANNEL, ts: '1.000001', text: 'x' })],
    [
      'cant_update_message',
      () => clientOf().chat.update({ channel: CHANNEL, ts: slack.say(ADA, 'mine').ts, text: 'x' }),
    ],
    [
      'user_not_in_channel',
      () => clientOf().chat.postEphemeral({ channel: CHANNEL, user: slack.add.user({ id: 'U0X' }).id, text: 'x' }),
    ],
    ['invalid_auth', () => say('x', clientOf('xoxb-wrong'))],
    ['token_revoked', () => Object.assign(slack.token(slack.botToken), { state: 'token_revoked' }) && say('x')],
    ['missing_scope', () => slack.token(slack.botToken).scopes.delete('chat:write') && say('x')],
    ['not_allowed_token_type', () => clientOf().apps.connections.open({})],
    ['invalid_trigger_id', () => clientOf().views.open({ trigger_id: '1.2.x', view: modal })],
    ['invalid_arguments', () => clientOf().apiCall('chat.postMessage', { channel: CHANNEL, text: 'x', as_bot: true })],
    ['unknown_method', () => clientOf().apiCall('chat.postMassage', { channel: CHANNEL })],
  ];
  const modal = {
    ...{ type: 'modal' as const, title: { type: 'plain_text' as const, text: 'T' }, blocks: section('x') },
  };

  it.each(refusals)('%s', async (error, call) => {
    await expect(call()).rejects.toMatchObject({ data: { ok: false, error } });
  });

  it('a missing scope with what is needed and what is there', async () => {
    slack.token(slack.botToken).scopes.delete('usergroups:read');

    await expect(clientOf().usergroups.list({})).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'usergroups:read', provided: expect.stringContaining('chat:write') },
    });
  });

  it('a second message of the same second in a channel, until the second has passed', async () => {
    await say('one');
    await expect(say('two')).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error', retryAfter: 1 });
    slack.add.channel({ id: 'C0OTHER' });
    await clientOf().chat.postMessage({ channel: 'C0OTHER', text: 'elsewhere' });
    at += 1_000;
    await say('three');

    expect(slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['one', 'three']);
    expect(slack.calls('chat.postMessage').map(({ outcome }) => outcome)).toEqual(['ok', 'ratelimited', 'ok', 'ok']);
  });

  it('the twenty-first call of a method of tier 2 in a minute', async () => {
    const list = () => clientOf().usergroups.users.list({ usergroup: GROUP });
    for (let call = 0; call < 20; call += 1) await list();
    at += 15_000;

    await expect(list()).rejects.toMatchObject({ retryAfter: 45 });
    at += 45_000;
    await expect(list()).resolves.toMatchObject({ ok: true });
  });
});

describe('The faults of the Slack double:', () => {
  it('a 429 lasts as long as it says, by the clock of the test', async () => {
    slack.faults.add({ kind: 'ratelimited', seconds: 120 }, { method: 'chat.postMessage' });

    await expect(say('x')).rejects.toMatchObject({ retryAfter: 120 });
    at += 100_000;
    await expect(say('x')).rejects.toMatchObject({ retryAfter: 20 });
    at += 20_000;
    await expect(say('x')).resolves.toMatchObject({ ok: true });
  });

  const ends: readonly (readonly [Fault, object, number])[] = [
    [{ kind: 'status', status: 503 }, { code: 'slack_webapi_http_error', statusCode: 503 }, 0],
    [{ kind: 'reset' }, { code: 'slack_webapi_request_error' }, 0],
    [{ kind: 'hang' }, { code: 'slack_webapi_request_error' }, 0],
    [{ kind: 'error', error: 'is_archived' }, { data: { error: 'is_archived' } }, 0],
    [{ kind: 'garbled' }, { code: 'slack_webapi_platform_error' }, 0],
    [{ kind: 'lost-answer' }, { code: 'slack_webapi_request_error' }, 1],
    [{ kind: 'hung-answer' }, { code: 'slack_webapi_request_error' }, 1],
  ];
  it.each(ends)('%o is %o, and %i messages are posted', async (fault, error, posted) => {
    slack.faults.add(fault, { times: 1 });

    await expect(say('x', clientOf(slack.botToken, 200))).rejects.toMatchObject(error);
    expect(slack.messages(CHANNEL)).toHaveLength(posted);
    at += 1_000;
    await expect(say('next')).resolves.toMatchObject({ ok: true });
  });

  it('a slow call takes effect when it is let go, and only what is named is befallen', async () => {
    const gate = Promise.withResolvers<void>();
    slack.faults.add({ kind: 'slow', until: gate.promise }, { channel: CHANNEL });
    slack.add.channel({ id: 'C0OTHER' });
    const slow = say('slow');
    await clientOf().chat.postMessage({ channel: 'C0OTHER', text: 'fast' });

    expect(slack.messages().map(({ text }) => text)).toEqual(['fast']);
    gate.resolve();
    await slow;
    expect(slack.messages().map(({ text }) => text)).toEqual(['fast', 'slow']);
  });
});
