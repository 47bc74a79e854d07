import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { portOf } from '../../kubernetes/loopback.ts';
import { type Actions, startActions } from './actions.ts';
import { type Events, startEvents } from './events.ts';
import { type Faults, startFaults } from './faults.ts';
import { answer } from './incoming.ts';
import { type Rates, startRates } from './rates.ts';
import { startResponseUrls } from './response-urls.ts';
import type { Target } from './send.ts';
import { type SocketMode, startSocketMode } from './socket-mode.ts';
import {
  type Channel,
  type Group,
  type Message,
  messageAt,
  type State,
  type Token,
  type User,
  type View,
} from './state.ts';
import { startTriggers } from './triggers.ts';
import { type ApiCall, startWebApi } from './web-api.ts';
import { type Adders, adders, CHANNEL, freshState, TEAM } from './world.ts';

/** Slack, on loopback: what the test sees of it and does with it. */
export interface SlackDouble extends Actions, Events {
  /** For `slackApiUrl`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly appId: string;
  readonly botUserId: string;
  readonly botId: string;
  /** Where interactions go, unless an action says otherwise. */
  target: Target | undefined;
  readonly add: Adders;
  readonly faults: Faults;
  readonly rates: Rates;
  readonly sockets: SocketMode;
  /** Every call of the Web API, in the order of their arrival; of one method, where it is named. */
  calls(method?: string): readonly ApiCall[];
  user(id: string, team?: string): User;
  group(id: string): Group;
  channel(id: string): Channel;
  token(value: string): Token;
  /** What everybody sees in a channel now, replies too, oldest first. */
  messages(channel?: string): readonly Message[];
  /** Also where it was deleted. */
  message(channel: string, ts: string): Message;
  /** A parent and its replies. */
  thread(channel: string, ts: string): readonly Message[];
  /** What one person alone was shown, oldest first. */
  ephemerals(user?: string): readonly Message[];
  /** Every view that was opened, oldest first. */
  views(): readonly View[];
  /** The view that is on top on a person's screen. */
  openView(user: string): View | undefined;
  stop(): Promise<void>;
}

export interface SlackOptions {
  /** Every instant comes from here: rate limits, timestamps, triggers, response URLs, signatures. */
  readonly clock: { now(): Date };
  /** Off: no call is limited. On, unless said. */
  readonly rates?: boolean;
  readonly signingSecret?: string;
  readonly target?: Target;
}

/** Starts a Slack with one small workspace in it (`world.ts`) on a free port of loopback. */
export async function startSlack({
  clock,
  rates: enforced = true,
  signingSecret = 'double-0123456789abcdef',
  target,
}: SlackOptions): Promise<SlackDouble> {
  const state = freshState(() => clock.now());
  const triggers = startTriggers(state);
  const faults = startFaults(state.now);
  const rates = startRates(state.now, enforced);
  const base = () => `http://127.0.0.1:${portOf(server.address())}`;
  const sockets = startSocketMode(state, base);
  const urls = startResponseUrls(state, base, faults);
  const api = startWebApi({ state, triggers, faults, rates, ticket: sockets.ticket });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', base());
    const method = /^\/api\/([\w.]+)$/.exec(url.pathname)?.[1];
    if (method !== undefined) return api.serve(method, request, response, url.searchParams);
    if (/^\/(actions|commands)\//.test(url.pathname)) return urls.serve(url.pathname, request, response);
    answer(response, { ok: false, error: 'not_found' }, { status: 404 });
  });
  server.on('upgrade', (request, socket: Duplex) => sockets.accept(request, socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen = { add: adders(state), faults, rates, sockets, ...eyes(state), calls: callsOf(api.calls) };
  const ids = { appId: state.appId, botId: state.botId, botUserId: state.botUserId, signingSecret, ...tokensOf(state) };
  const parts = {
    ...{ state, triggers, urls, sockets, secret: signingSecret, team: TEAM, channel: CHANNEL },
    target: () => slack.target,
  };
  const slack: SlackDouble = {
    ...{ apiUrl: `${base()}/api/`, target, ...ids, ...seen },
    ...startActions(parts),
    ...startEvents(parts),
    async stop() {
      await sockets.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return slack;
}

const callsOf = (calls: readonly ApiCall[]) => (method?: string) =>
  calls.filter((call) => method === undefined || call.method === method);

function tokensOf({ tokens }: State): { botToken: string; appToken: string } {
  const of = (kind: Token['kind']) => [...tokens.values()].find((token) => token.kind === kind)?.value ?? '';
  return { botToken: of('bot'), appToken: of('app') };
}

/** The ways to look at the state. Asking for what is not there is a mistake of the test. */
function eyes(state: State) {
  const need = <T>(found: T | undefined, what: string): T => {
    if (found === undefined) throw new Error(`the Slack double has no ${what}`);
    return found;
  };
  const standing = (channel?: string) =>
    state.messages.filter(
      (message) =>
        message.deletedAt === undefined &&
        message.visibleTo === undefined &&
        (channel ?? message.channel) === message.channel,
    );
  return {
    user: (id: string, team = TEAM) => need(state.users.get(`${team}/${id}`), `user ${id} in ${team}`),
    group: (id: string) => need(state.groups.get(id), `user group ${id}`),
    channel: (id: string) => need(state.channels.get(id), `channel ${id}`),
    token: (value: string) => need(state.tokens.get(value), 'such token'),
    messages: standing,
    message: (channel: string, ts: string) =>
      need(
        messageAt(state, channel, ts) ?? state.messages.find((one) => one.channel === channel && one.ts === ts),
        `message ${ts} in ${channel}`,
      ),
    thread: (channel: string, ts: string) => standing(channel).filter((one) => one.ts === ts || one.threadTs === ts),
    ephemerals: (user?: string) =>
      state.messages.filter(
        ({ visibleTo, deletedAt }) =>
          visibleTo !== undefined && deletedAt === undefined && (user ?? visibleTo) === visibleTo,
      ),
    views: () => [...state.views.values()],
    openView: (user: string) =>
      [...state.views.values()].filter((view) => view.user === user && view.state === 'open').at(-1),
  };
}
