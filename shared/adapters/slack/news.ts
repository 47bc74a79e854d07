import type { EventName } from '../../model.ts';
import type { Notice, Told } from '../../ports/chat.ts';
import { post } from './messages.ts';
import { type Announcement, noticeMessage } from './notice.ts';
import { telling } from './once.ts';
import type { Parts } from './parts.ts';
import { failureOf } from './refusals.ts';

export interface NewsParts extends Parts {
  /** Where news of a cluster, or of all, go; undefined: the configuration names no channel. */
  readonly newsChannel: (cluster: string | undefined) => string | undefined;
  readonly clusterName: (cluster: string) => string;
}

const TONES: Partial<Record<EventName, Announcement['tone']>> = {
  ...{ stopped: 'bad', blinded: 'bad', unheard: 'bad' },
  ...{ resumed: 'good', sighted: 'good', heard: 'good' },
};

/** Posts news, before the cards that wait and at the same pace. */
export async function announce(parts: NewsParts, { event, cluster, text }: Notice): Promise<Told> {
  const channel = parts.newsChannel(cluster);
  // That nothing gets through to a channel is no news to those who read it there: that it does again is.
  if (channel === undefined || (event.event === 'unheard' && event.channel === channel)) return {};
  const { lanes } = parts;
  const sender = { channel, event: event.id };
  const receipt = await telling(parts, ['notice', event.id]);
  if (receipt.isTold) return { facts: await lanes.owed(sender) };
  const turn = await lanes.take(sender);
  if (turn.is === 'later') return turn;
  const title = cluster === undefined ? 'Gleaner' : parts.clusterName(cluster);
  const message = noticeMessage({ title, text, tone: TONES[event.event] ?? 'plain' });
  const called = await post(parts.api, { channel }, message);
  if (called.is === 'ok') {
    await receipt.put({ ok: true, because: 'told' });
    return { facts: await lanes.worked(sender) };
  }
  const retryAfter = called.is === 'throttled' ? called.retryAfter : undefined;
  return lanes.failed(sender, { because: failureOf(called), retryAfter });
}
