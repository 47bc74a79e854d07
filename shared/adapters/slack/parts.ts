import type { Card } from '../../card.ts';
import type { Proposal } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterStatus } from '../../ports/desk.ts';
import type { Directory } from '../../ports/directory.ts';
import type { Store } from '../../ports/store.ts';
import type { Lanes } from './lane.ts';
import type { RespondParts } from './respond.ts';

/** What there is to read, beside single cards. */
interface Board {
  clusters(): Promise<readonly ClusterStatus[]>;
  /** The card of every incident, what waits for a decision first. */
  cards(): Promise<readonly Card[]>;
}

/** What a chat in Slack is made of. `warn` is for the log: what people should know and nobody is told otherwise. */
export interface SlackChatOptions extends RespondParts {
  readonly store: Store;
  /** Slack's time, which is the machine's. */
  readonly clock: Pick<Clock, 'now'>;
  /** The records' time: a pretend cluster's runs faster. */
  readonly records: Pick<Clock, 'now'>;
  /** A record as people read it, as of a moment. */
  readonly draw: (proposal: Proposal, at: Date) => Card;
  /** Where the card of a proposal goes (`C…`); undefined: the configuration names no channel. */
  readonly channelOf: (proposal: Proposal) => string | undefined;
  /** Where news of a cluster, or of all, go; undefined: the configuration names no channel. */
  readonly newsChannel: (cluster: string | undefined) => string | undefined;
  readonly clusterName: (cluster: string) => string;
  readonly board: Board;
  readonly directory: Directory;
}

/** What everything that sends to Slack shares. */
export interface Parts extends SlackChatOptions {
  readonly lanes: Lanes;
  /** There is no channel for a card. */
  nowhere(): Told;
}
