import type { Card } from '../../card.ts';
import type { Proposal } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { Lanes } from './lane.ts';
import type { SlackApi } from './web-api.ts';

/** What everything that sends to Slack shares. */
export interface Parts {
  readonly api: SlackApi;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly lanes: Lanes;
  /** A record as people read it, as of a moment. */
  readonly draw: (proposal: Proposal, at: Date) => Card;
  /** Where the card of a proposal goes; undefined: the configuration names no channel. */
  readonly channelOf: (proposal: Proposal) => string | undefined;
  /** For the log: what people should know and nobody is told otherwise. */
  readonly warn: (because: string) => void;
  /** There is no channel for a card. */
  nowhere(proposal: Proposal): Told;
}
