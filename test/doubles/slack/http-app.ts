import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LogLevel, WebClient } from '@slack/web-api';
import { portOf } from '../../kubernetes/loopback.ts';
import { ADA, CHANNEL, type Message, type SlackDouble, startSlack } from './index.ts';

/** When the clock of the double begins. */
export const START = Date.parse('2026-03-02T03:00:00Z');

/** How the app answers what Slack sends it. */
type Answering = { status: number; headers?: Record<string, string>; body?: string } | 'never';

/** A double with one card in it, and an app that keeps what it gets and answers as it is told. */
export interface HttpApp {
  readonly slack: SlackDouble;
  readonly client: WebClient;
  /** A card with the button `approve` and the menu `snooze`. */
  readonly card: Message;
  readonly got: { readonly headers: IncomingMessage['headersDistinct']; readonly body: Buffer }[];
  answering: Answering;
  /** Lets the double's clock go on. */
  pass(ms: number): void;
  now(): number;
  stop(): Promise<void>;
}

export const cardBlocks = [
  {
    type: 'actions',
    block_id: 'decide',
    elements: [
      {
        ...{ type: 'button', action_id: 'approve', value: 'opaque', style: 'primary' },
        text: { type: 'plain_text', text: 'Approve' },
      },
      {
        ...{ type: 'static_select', action_id: 'snooze' },
        options: [{ text: { type: 'plain_text', text: '1 h' }, value: 'hour' }],
      },
    ],
  },
];

/** A modal that says one thing; with `why`, one that asks for a reason. */
export const modal = (text: string, why = false) => ({
  type: 'modal' as const,
  title: { type: 'plain_text' as const, text: 'Details' },
  ...(why && { submit: { type: 'plain_text' as const, text: 'Send' }, notify_on_close: true }),
  blocks: [
    { type: 'section' as const, text: { type: 'plain_text' as const, text } },
    ...(why
      ? [
          {
            ...{ type: 'input' as const, block_id: 'why', label: { type: 'plain_text' as const, text: 'Why' } },
            element: { type: 'plain_text_input' as const, action_id: 'text', max_length: 10 },
          },
        ]
      : []),
  ],
});

export async function startHttpApp(): Promise<HttpApp> {
  let at = START;
  const got: HttpApp['got'] = [];
  const server = createServer(async (request, response) => {
    got.push({ headers: request.headersDistinct, body: await buffer(request) });
    const { answering } = bed;
    if (answering === 'never') return;
    response.writeHead(answering.status, answering.headers).end(answering.body ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target = `http://127.0.0.1:${portOf(server.address())}/slack/events`;
  const slack = await startSlack({ clock: { now: () => new Date(at) }, target, rates: false });
  const silent = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    setLevel() {},
    getLevel: () => LogLevel.ERROR,
    setName() {},
  };
  const client = new WebClient(slack.botToken, {
    ...{ slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, logger: silent },
  });
  await client.apiCall('chat.postMessage', { channel: CHANNEL, text: 'card', blocks: cardBlocks });
  const bed: HttpApp = {
    ...{ slack, client, got, answering: { status: 200 } },
    card: slack.messages(CHANNEL)[0] ?? slack.say(ADA, 'nothing was posted'),
    pass(ms) {
      at += ms;
    },
    now: () => at,
    async stop() {
      await slack.stop();
      const closed = once(server, 'close');
      server.closeAllConnections();
      server.close();
      await closed;
    },
  };
  return bed;
}
