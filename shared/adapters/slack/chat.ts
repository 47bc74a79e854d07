import type { Chat } from '../../ports/chat.ts';
import type { Store } from '../../ports/store.ts';
import { lanes } from './lane.ts';
import { announce } from './news.ts';
import type { Parts, SlackChatOptions } from './parts.ts';
import { answer, reply } from './replies.ts';
import { isUrgent, show } from './show.ts';

/**
 * Slack as a place where people read. One message per incident is kept like its record; nothing sleeps and nothing is
 * kept in memory: what is still to be said is found by comparing the record with the `post` row, and a channel's pace
 * and health stand in its `lane`.
 */
export function slackChat(options: SlackChatOptions): Chat {
  const { store, clock, warn } = options;
  let isWarned = false;
  const parts: Parts = {
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
