import type { Card } from '../../card.ts';
import type { Proposal } from '../../model.ts';
import type { Chat } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Directory } from '../../ports/directory.ts';
import type { Store } from '../../ports/store.ts';
import { lanes } from './lane.ts';
import { announce } from './news.ts';
import { answer, type Board, reply } from './replies.ts';
import { isUrgent, show } from './show.ts';
import type { SlackApi } from './web-api.ts';

export interface SlackChatOptions {
  readonly api: SlackApi;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** A record as people read it, as of a moment. */
  readonly draw: (proposal: Proposal, at: Date) => Card;
  /** The channel of a proposal's card (`C…`); undefined: the configuration names none. */
  readonly channelOf: (proposal: Proposal) => string | undefined;
  /** Where news of a cluster, or of all, go. */
  readonly newsChannel: (cluster: string | undefined) => string | undefined;
  readonly clusterName: (cluster: string) => string;
  readonly board: Board;
  readonly directory: Directory;
  /** Where the API is, other than at Slack (SLACK_API_URL): reply addresses of that origin are used, too. */
  readonly url?: string | undefined;
  /** Milliseconds after which an answer of a reply address is not waited for any more. */
  readonly timeout?: number | undefined;
  /** For the log: what people should know and nobody is told otherwise. Nothing in it is secret. */
  readonly warn: (because: string) => void;
}

/**
 * Slack as a place where people read. One message per incident is kept like its record; nothing sleeps and nothing is
 * kept in memory: what is still to be said is found by comparing the record with the `post` row, and a channel's pace
 * and health stand in its `lane`.
 */
export function slackChat(options: SlackChatOptions): Chat {
  const { store, clock, warn } = options;
  let isWarned = false;
  const parts = {
    ...options,
    lanes: lanes({ store, clock, isUrgent: isUrgentIn(store) }),
    nowhere() {
      if (!isWarned) warn('no channel of Slack is named: set SLACK_CHANNEL, or slack.channel in gleaner.yaml');
      isWarned = true;
      return {};
    },
  };
  return {
    show: (proposal, event) => show(parts, proposal, event),
    answer: (click, said) => answer(parts, click, said),
    reply: (question) => reply(parts, question),
    announce: (notice) => announce(parts, notice),
  };
}

const isUrgentIn = (store: Store) => async (incident: string) => {
  const current = (await store.get('incident', incident))?.item.proposal;
  const row = current === undefined ? undefined : await store.get('proposal', current);
  return row !== undefined && isUrgent(row.item);
};
