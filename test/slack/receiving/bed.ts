import { onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { Interactions } from '../../../shared/adapters/slack/app.ts';
import { cardMessage } from '../../../shared/adapters/slack/card-message.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { post } from '../../../shared/adapters/slack/messages.ts';
import type { InteractionParts } from '../../../shared/adapters/slack/press.ts';
import { slackReceiver } from '../../../shared/adapters/slack/receiver.ts';
import { type RefusedKind, refusalLog } from '../../../shared/adapters/slack/refused.ts';
import { type SocketHealth, slackSocket } from '../../../shared/adapters/slack/socket.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../../shared/adapters/sqlite/store.ts';
import type { Card } from '../../../shared/card.ts';
import type { Click, Fact, Outgoing, Question } from '../../../shared/model.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { CHANNEL, type Message, type SlackDouble, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { serveFunction, serveRoute } from './serve.ts';
import { soon } from './soon.ts';

export const TRANSPORTS = ['socket', 'https', 'lambda'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface ReceivingOptions {
  /** Real time, unless given. */
  readonly clock?: Clock;
  readonly bus?: Bus;
  readonly cards?: readonly Card[];
  /** Milliseconds that a read of a card takes; for ever, where it is infinite. */
  readonly readTakes?: Promise<unknown>;
  readonly formerSecret?: string;
}

export interface ReceivingBed {
  readonly slack: SlackDouble;
  readonly store: Store;
  readonly published: readonly Outgoing[];
  readonly refused: readonly RefusedKind[];
  readonly warnings: readonly string[];
  readonly health: readonly SocketHealth[];
  clicks(): Click[];
  questions(): Question[];
  audited(): Promise<readonly string[]>;
  /** Posts the card of a record into the channel. */
  show(card: Card): Promise<Message>;
}

/** Everything between Slack and the bus, over one transport, with the double at the other end. */
export async function receivingBed(transport: Transport, options: ReceivingOptions = {}): Promise<ReceivingBed> {
  const { clock = systemClock, cards = [] } = options;
  const slack = await startSlack({ clock, rates: false });
  onTestFinished(() => slack.stop());
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl, timeout: 1_000 });
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = sqliteStore(database);
  const published: Outgoing[] = [];
  const kept: Bus = { publish: async (outgoing) => void published.push(...outgoing) };
  const [refused, warnings, health]: [RefusedKind[], string[], SocketHealth[]] = [[], [], []];
  const warn = (because: string) => void warnings.push(because);
  const parts: InteractionParts = {
    ...{ api, store, clock, warn, bus: options.bus ?? kept, url: slack.apiUrl },
    home: () => ({ team: TEAM }),
    directory: slackDirectory({ api, clock, team: TEAM }),
    refused: refusalLog({ store, clock, warn, count: (kind) => refused.push(kind) }),
    async card(proposal) {
      await options.readTakes;
      return cards.find((card) => card.proposal.id === proposal);
    },
  };
  await connect(transport, {
    slack,
    parts,
    formerSecret: options.formerSecret,
    health: (one) => void health.push(one),
  });
  const facts = (): Fact[] => published.map(({ fact }) => fact);
  return {
    ...{ slack, store, published, refused, warnings, health },
    clicks: () => facts().flatMap((fact) => (fact.event === 'clicked' ? [fact.click] : [])),
    questions: () => facts().flatMap((fact) => (fact.event === 'asked' ? [fact.question] : [])),
    audited: async () => (await store.audit(0, 1_000)).map(({ text }) => text),
    async show(card) {
      const posted = await post(api, { channel: CHANNEL }, cardMessage(card));
      if (posted.is !== 'ok') throw new Error(`the card was not posted: ${posted.because}`);
      return slack.message(CHANNEL, posted.value.ts);
    },
  };
}

interface Ends {
  readonly slack: SlackDouble;
  readonly parts: InteractionParts;
  readonly formerSecret?: string | undefined;
  readonly health: (health: SocketHealth) => void;
}

async function connect(transport: Transport, { slack, parts, formerSecret, health }: Ends): Promise<void> {
  if (transport === 'socket') {
    const receiver = slackSocket({ appToken: slack.appToken, clock: systemClock, url: slack.apiUrl, health });
    await new Interactions(receiver, parts).start();
    onTestFinished(() => void receiver.stop());
    await soon(() => slack.sockets.connections.length === 2);
    slack.target = 'socket';
    return;
  }
  const secrets = { current: slack.signingSecret, former: formerSecret };
  const receiver = slackReceiver({ ...parts, secrets });
  new Interactions(receiver, parts);
  const listening = await (transport === 'https' ? serveRoute : serveFunction)(async () => receiver);
  onTestFinished(() => listening.stop());
  slack.target = listening.url;
}
