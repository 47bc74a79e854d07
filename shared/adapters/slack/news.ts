import type { Notice, Told } from '../../ports/chat.ts';
import { post } from './messages.ts';
import { type Announcement, noticeMessage } from './notice.ts';
import { receiptFor } from './once.ts';
import type { Parts } from './parts.ts';

/** Posts news, before the cards that wait and at the same pace. */
export async function announce(parts: Parts, { event, of, cluster, text }: Notice): Promise<Told> {
  const channel = parts.newsChannel(cluster);
  // That nothing gets through to a channel is no news to those who read it there: that it does again is.
  if (channel === undefined || (event.event === 'unheard' && event.channel === channel)) return {};
  const { lanes } = parts;
  const sender = { channel, event: event.id };
  const receipt = await receiptFor(parts, ['notice', event.id]);
  if (receipt.isTold) return { facts: await lanes.owed(sender) };
  const turn = await lanes.take(sender);
  if (turn.is === 'later') return turn;
  const title = cluster === undefined ? 'Gleaner' : parts.clusterName(cluster);
  const called = await post(parts.api, { channel }, noticeMessage({ title, text, tone: toneOf(of) }));
  if (called.is !== 'ok') return lanes.failed(sender, called);
  await receipt.put({ ok: true, because: 'told' });
  return { facts: await lanes.worked(sender) };
}

function toneOf(event: string): Announcement['tone'] {
  switch (event) {
    case 'stopped':
    case 'blinded':
    case 'unheard':
      return 'bad';
    case 'resumed':
    case 'sighted':
    case 'heard':
      return 'good';
    default:
      return 'plain';
  }
}
