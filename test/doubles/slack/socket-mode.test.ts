import { App, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { ViewsOpenArguments } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../kubernetes/loopback.ts';
import { ADA, CHANNEL, type Message, type SlackDouble, startSlack } from './index.ts';

const now = new Date('2026-03-02T03:00:00Z');
const button = (value = 'opaque') => ({
  type: 'actions',
  block_id: 'decide',
  elements: [{ type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' }, value }],
});

let slack: SlackDouble;
let app: App;
/** What the listeners were called with, in their order. */
let heard: string[];

async function boltApp(): Promise<App> {
  const clientOptions = { slackApiUrl: slack.apiUrl };
  const started = new App({
    receiver: new SocketModeReceiver({
      appToken: slack.appToken,
      clientPingTimeout: 50,
      logLevel: LogLevel.ERROR,
      installerOptions: { clientOptions },
    }),
    authorize: async () => ({ botToken: slack.botToken, botId: slack.botId, botUserId: slack.botUserId }),
    clientOptions,
    logLevel: LogLevel.ERROR,
  });
  started.action('approve', async ({ ack, body, client }) => {
    await ack();
    heard.push(`approve by ${body.user.id}`);
    const trigger_id = 'trigger_id' in body ? String(body.trigger_id) : '';
    await client.views.open({ trigger_id, view: reason }).catch(({ data }) => heard.push(data.error));
  });
  started.view('reason', async ({ ack, view }) => {
    const said = view.state.values.why?.text?.value ?? '';
    if (said === 'no') return ack({ response_action: 'errors', errors: { why: 'Say more' } });
    heard.push(`because ${said}`);
    await ack();
  });
  started.command('/gleaner', async ({ ack, command }) => {
    heard.push(`command ${command.text}`);
    await ack({ text: 'one incident', response_type: 'ephemeral' });
  });
  started.command('/deaf', async () => {
    heard.push('deaf');
  });
  started.event('app_mention', async () => {
    heard.push('mention');
  });
  await started.start();
  return started;
}

const reason: ViewsOpenArguments['view'] = {
  type: 'modal',
  callback_id: 'reason',
  title: { type: 'plain_text', text: 'Reason' },
  submit: { type: 'plain_text', text: 'Reject' },
  blocks: [
    {
      type: 'input',
      block_id: 'why',
      label: { type: 'plain_text', text: 'Why' },
      element: { type: 'plain_text_input', action_id: 'text', min_length: 2 },
    },
  ],
};

async function card(): Promise<Message> {
  await app.client.apiCall('chat.postMessage', {
    ...{ token: slack.botToken, channel: CHANNEL, text: 'card', blocks: [button()] },
  });
  const posted = slack.messages(CHANNEL).at(-1);
  if (posted === undefined) throw new Error('the card was not posted');
  return posted;
}

beforeEach(async () => {
  heard = [];
  slack = await startSlack({ clock: { now: () => now }, target: 'socket', rates: false });
  app = await boltApp();
});
afterEach(async () => {
  await app.stop();
  await slack.stop();
});

describe('The Slack double, to an unmodified Bolt app in Socket Mode', () => {
  it('delivers a click, hears its acknowledgement, and opens the modal that follows', async () => {
    const delivery = await slack.click(await card(), 'approve', ADA);
    await until('the modal is open', () => slack.openView(ADA) !== undefined);

    expect(delivery).toMatchObject({ acknowledged: true, problem: undefined });
    expect(delivery.tookMs).toBeLessThan(3_000);
    expect(heard).toEqual(['approve by U0ADA']);
    expect(delivery.payload).toMatchObject({
      type: 'block_actions',
      container: { type: 'message', channel_id: CHANNEL, is_ephemeral: false },
      actions: [{ action_id: 'approve', block_id: 'decide', value: 'opaque', type: 'button' }],
    });
  });

  it('submits the modal, shows its errors, and closes it when it is acknowledged', async () => {
    await slack.click(await card(), 'approve', ADA);
    await until('the modal is open', () => slack.openView(ADA) !== undefined);
    const [view] = slack.views();
    if (view === undefined) throw new Error('no view');

    await slack.submit(view, { text: 'no' });
    expect(view).toMatchObject({ state: 'open', errors: { why: 'Say more' } });
    await slack.submit(view, { text: 'wrong cluster' });
    expect(view).toMatchObject({ state: 'submitted', errors: undefined });
    expect(heard.at(-1)).toBe('because wrong cluster');
    await expect(slack.submit(view, { text: 'x' })).rejects.toThrow('text needs 2 characters or more');
  });

  it('delivers a command and shows the answer of its acknowledgement to who typed it', async () => {
    await slack.command('/gleaner', 'incidents', ADA);

    expect(heard).toEqual(['command incidents']);
    expect(slack.ephemerals(ADA).map(({ text }) => text)).toEqual(['one incident']);
  });

  it('reports what nobody acknowledges, and what nobody is there for', async () => {
    const deaf = await slack.command('/deaf', '', ADA, { within: 100 });
    await app.stop();
    await until('the line is closed', () => slack.sockets.connections.length === 0);
    const nobody = await slack.command('/gleaner', '', ADA);

    expect([deaf, nobody].map(({ acknowledged, problem }) => [acknowledged, problem])).toEqual([
      [false, 'timeout'],
      [false, 'no connection'],
    ]);
  });

  it('delivers the same envelope twice, and over two connections', async () => {
    const second = await boltApp();
    const message = await card();
    await slack.click(message, 'approve', ADA, { connections: [0, 0] });
    await slack.click(message, 'approve', ADA, { connections: [0, 1] });
    await until('all four were heard', () => heard.length === 6 && slack.sockets.acks.length === 4);

    expect(new Set(slack.sockets.acks).size).toBe(2);
    expect(heard.filter((what) => what === 'exchanged_trigger_id')).toHaveLength(2);
    expect(slack.views()).toHaveLength(2);
    await second.stop();
  });

  it('asks for a new connection, and gets one', async () => {
    const [old] = slack.sockets.connections;
    old?.disconnect('refresh_requested');
    await until('the app is back', () => slack.sockets.connections.some(({ id }) => id !== old?.id));

    expect((await slack.command('/gleaner', 'again', ADA)).acknowledged).toBe(true);
  });

  it('survives payloads of more than 64 KiB', async () => {
    const long = 'ö'.repeat(70_000);
    await slack.command('/gleaner', long, ADA);

    expect(heard).toEqual([`command ${long}`]);
  });

  it('delivers an event, and not again once it is acknowledged', async () => {
    await slack.event({ type: 'app_mention', user: ADA, text: 'hi', channel: CHANNEL, ts: '1.000001' });

    expect(heard).toEqual(['mention']);
    expect(await slack.retryEvents()).toEqual([]);
  });
});
