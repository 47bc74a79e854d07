import { systemClock } from '../adapters/clock/system.ts';
import { type Identity, Interactions, identify } from '../adapters/slack/app.ts';
import { slackChat } from '../adapters/slack/chat.ts';
import { slackDirectory } from '../adapters/slack/directory.ts';
import { refusalLog } from '../adapters/slack/refused.ts';
import { slackSocket } from '../adapters/slack/socket.ts';
import { type SlackApi, slackApi } from '../adapters/slack/web-api.ts';
import type { Card } from '../card.ts';
import { milliseconds } from '../handler.ts';
import type { Proposal } from '../model.ts';
import type { Bus } from '../ports/bus.ts';
import type { Chat, Told } from '../ports/chat.ts';
import type { Desk } from '../ports/desk.ts';
import type { Directory } from '../ports/directory.ts';
import type { Store } from '../ports/store.ts';
import type { Log } from '../runtime/log.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How often it is tried again to find out who we are in Slack. */
const IDENTIFY = milliseconds('15s');

/** What the environment says of Slack, where it says anything: a bot token is the sign that Slack is wanted. */
export interface SlackSettings {
  readonly botToken: string;
  /** For Socket Mode: without it nothing comes in. */
  readonly appToken: string | undefined;
  /** The channel of every card for which gleaner.yaml names none. */
  readonly channel: string | undefined;
  readonly url: string | undefined;
}

export function slackSettings(env: Env): SlackSettings | undefined {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_CHANNEL: channel, SLACK_API_URL: url } = env;
  return botToken ? { botToken, appToken, channel, url } : undefined;
}

/** What of a running Gleaner Slack shows and changes. */
export interface Inside {
  readonly store: Store;
  readonly bus: Bus;
  readonly desk: Desk;
  readonly draw: (proposal: Proposal, at: Date) => Card;
  readonly clusterName: (id: string) => string;
  readonly refused: (kind: string) => void;
}

/** Slack, as one process is connected to it. */
export interface Slack {
  readonly directory: Directory;
  chat(inside: Inside): Chat;
  /** Lets presses and commands come in; the answer ends that. */
  listen(inside: Inside): () => Promise<void>;
  /** What is wrong with the connection, in words. */
  trouble(): string | undefined;
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
  const { botToken, appToken, channel, url } = settings;
  const api = slackApi({ token: botToken, url });
  const warn = (because: string) => log.warn({ because }, 'Slack');
  const who = identified(api, warn);
  const directory = deferred(api, who.identity);
  let trouble: string | undefined;

  return {
    directory,
    chat({ store, desk, draw, clusterName }) {
      const chat = slackChat({
        ...{ api, store, draw, clusterName, directory, url, warn, clock: systemClock },
        channelOf: (proposal) => channelOf(proposal) ?? channel,
        newsChannel: () => channelOf(undefined) ?? channel,
        board: desk,
      });
      return speed === 1 ? chat : slowed(chat, speed);
    },
    listen({ store, bus, desk, refused: count }) {
      if (!appToken) {
        warn('SLACK_APP_TOKEN is not set: cards are posted, and nobody can decide in Slack');
        return async () => who.stop();
      }
      const receiver = slackSocket({
        ...{ appToken, url, clock: systemClock },
        health({ connected, because }) {
          trouble = connected > 0 ? undefined : `Slack cannot reach Gleaner: ${because}`;
          if (because) warn(because);
          else log.info({ connected }, 'Slack is connected');
        },
      });
      const refused = refusalLog({ store, clock: systemClock, count, warn });
      const app = new Interactions(receiver, {
        ...{ api, bus, store, clock: systemClock, directory, refused, warn, url, home: who.identity },
        card: async (id) => (await desk.cards()).find(({ proposal }) => proposal.id === id),
      });
      void app.start();
      return async () => {
        who.stop();
        await app.stop();
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
