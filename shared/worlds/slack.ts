import { systemClock } from '../adapters/clock/system.ts';
import { type Identity, Interactions, identify } from '../adapters/slack/app.ts';
import { slackChat } from '../adapters/slack/chat.ts';
import { slackDirectory } from '../adapters/slack/directory.ts';
import { slackReceiver } from '../adapters/slack/receiver.ts';
import { refusalLog } from '../adapters/slack/refused.ts';
import { type SocketHealth, slackSocket } from '../adapters/slack/socket.ts';
import type { Secrets } from '../adapters/slack/verify.ts';
import { type SlackApi, slackApi } from '../adapters/slack/web-api.ts';
import type { Card } from '../card.ts';
import { milliseconds } from '../handler.ts';
import type { Proposal } from '../model.ts';
import type { Bus } from '../ports/bus.ts';
import type { Chat, Told } from '../ports/chat.ts';
import type { Desk } from '../ports/desk.ts';
import type { Directory } from '../ports/directory.ts';
import type { Store } from '../ports/store.ts';
import type { Receiver } from '../runtime/interact.ts';
import type { Log } from '../runtime/log.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How often it is tried again to find out who we are in Slack. */
const IDENTIFY = milliseconds('15s');

/** What the environment says of Slack, where it says anything: a bot token is the sign that Slack is wanted. */
export interface SlackSettings {
  readonly botToken: string;
  /** How presses and commands come in: by connections that Gleaner opens, or by requests that Slack signs. */
  readonly way:
    | { readonly is: 'socket'; readonly appToken: string }
    | { readonly is: 'https'; readonly secrets: Secrets };
  /** The channel of every card for which gleaner.yaml names none. */
  readonly channel: string | undefined;
  readonly url: string | undefined;
}

/** Reads the environment. Throws an Error where it says half of what Slack needs: nobody could decide, and nobody would see why. */
export function slackSettings(env: Env): SlackSettings | undefined {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: current } = env;
  const { SLACK_SIGNING_SECRET_OLD: former, SLACK_CHANNEL: channel, SLACK_API_URL: url } = env;
  if (!botToken && !appToken && !current) return undefined;
  if (!botToken)
    throw new Error('SLACK_BOT_TOKEN is not set, and other variables of Slack are: docs/slack.md says how to get it');
  if (appToken) return { botToken, way: { is: 'socket', appToken }, channel, url };
  if (current) return { botToken, way: { is: 'https', secrets: { current, former } }, channel, url };
  throw new Error(
    'SLACK_APP_TOKEN is not set: without it nobody could decide in Slack (or set SLACK_SIGNING_SECRET, where Slack is to call Gleaner)',
  );
}

/** What of a running Gleaner Slack shows and changes. */
export interface Inside {
  readonly store: Store;
  readonly bus: Bus;
  readonly desk: Desk;
  /** A record as people read it, as of a moment; now, where none is given. */
  readonly draw: (proposal: Proposal, at?: Date) => Card;
  readonly clusterName: (id: string) => string;
  readonly refused: (kind: string) => void;
}

/** Slack, as one process is connected to it. */
export interface Slack {
  readonly directory: Directory;
  chat(inside: Inside): Chat;
  /** Lets presses and commands come in. */
  listen(inside: Inside): Listening;
  /** What is wrong with the connection, in words. */
  trouble(): string | undefined;
}

/** Slack's way in, while it is open. */
interface Listening {
  /** What takes the requests that Slack signs, where it is to send some. */
  readonly receiver: Receiver | undefined;
  stop(): Promise<void>;
}

export interface SlackOptions {
  readonly settings: SlackSettings;
  /** The channel that the policy names for a proposal, or of a cluster's news where none is given. */
  readonly channelOf: (proposal: Proposal | undefined) => string | undefined;
  /** How many times faster than life the bus' clock runs: what Slack asks for is in the time of life. */
  readonly speed?: number;
  readonly log: Log;
}

/** Connects to Slack, outbound only. It may be away: then it is connected once it is there, and nobody is believed before. */
export function connectSlack({ settings, channelOf, speed = 1, log }: SlackOptions): Slack {
  const { botToken, way, channel, url } = settings;
  const api = slackApi({ token: botToken, url });
  const warn = (because: string) => log.warn({ because }, 'Slack');
  const who = identified(api, warn);
  const directory = deferred(api, who.identity);
  let trouble: string | undefined;

  return {
    directory,
    chat({ store, desk, draw, clusterName }) {
      const records = { now: () => desk.now() };
      const chat = slackChat({
        ...{ api, store, draw, clusterName, directory, url, warn, records, clock: systemClock },
        channelOf: (proposal) => channelOf(proposal) ?? channel,
        newsChannel: () => channelOf(undefined) ?? channel,
        board: desk,
      });
      return speed === 1 ? chat : slowed(chat, speed);
    },
    listen({ store, bus, draw, refused: count }) {
      const refused = refusalLog({ store, clock: systemClock, count, warn });
      const health = ({ connected, because }: SocketHealth) => {
        trouble = connected > 0 ? undefined : `Slack cannot reach Gleaner: ${because}`;
        if (because) warn(because);
        else log.info({ connected }, 'Slack is connected');
      };
      const receiver = way.is === 'https' ? slackReceiver({ ...way, clock: systemClock, refused, warn }) : undefined;
      const socket = way.is === 'socket' ? slackSocket({ ...way, url, clock: systemClock, health }) : undefined;
      const bolt = receiver ?? socket;
      if (!bolt) throw new Error('Slack has no way in');
      const app = new Interactions(bolt, {
        ...{ api, bus, store, clock: systemClock, directory, refused, warn, url, home: who.identity },
        async card(id) {
          const row = await store.get('proposal', id);
          return row && draw(row.item);
        },
      });
      void app.start();
      return {
        receiver,
        async stop() {
          who.stop();
          await app.stop();
        },
      };
    },
    trouble: () => who.trouble() ?? trouble,
  };
}

/** A chat whose waits are in the time of a faster clock. */
function slowed(chat: Chat, speed: number): Chat {
  const slow = ({ after, ...told }: Told): Told => ({ ...told, ...(after !== undefined && { after: after * speed }) });
  return {
    show: async (proposal, event) => slow(await chat.show(proposal, event)),
    answer: async (click, answer) => slow(await chat.answer(click, answer)),
    reply: async (question) => slow(await chat.reply(question)),
    announce: async (notice) => slow(await chat.announce(notice)),
  };
}

/** Asks Slack who we are until it says so. */
function identified(api: SlackApi, warn: (because: string) => void) {
  let identity: Identity | undefined;
  let trouble: string | undefined = 'Slack has not said yet who Gleaner is there';
  let cancel = () => {};
  const ask = async () => {
    const said = await identify(api);
    if (said.is === 'known') {
      identity = said.identity;
      trouble = undefined;
      return;
    }
    trouble = `Slack does not say who Gleaner is there: ${said.because}`;
    warn(trouble);
    cancel = systemClock.after(IDENTIFY, () => void ask());
  };
  void ask();
  return { identity: () => identity, trouble: () => trouble, stop: () => cancel() };
}

/** The directory of our workspace, once it is known which that is. Until then nobody of it can be found out. */
function deferred(api: SlackApi, identity: () => Identity | undefined): Directory {
  let known: Directory | undefined;
  const current = (): Directory => {
    const home = identity();
    if (home) known ??= slackDirectory({ api, clock: systemClock, ...home });
    return known ?? UNKNOWN;
  };
  return {
    isMember: (who, from) => current().isMember(who, from),
    belongs: (who, group) => current().belongs(who, group),
    fresh: () => current().fresh(),
  };
}

const AWAY = { is: 'unreadable', because: 'Slack has not said yet which workspace this is' } as const;
const UNKNOWN: Directory = {
  isMember: async (who) => (who.startsWith('local:') ? { is: 'yes' } : AWAY),
  belongs: async () => AWAY,
  fresh: () => UNKNOWN,
};
