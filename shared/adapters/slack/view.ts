import { createHash } from 'node:crypto';
import type { Card } from '../../card.ts';
import { isRunning, isUndecided, type Post, type Proposal, type Stage } from '../../model.ts';
import type { Message } from './blocks.ts';
import { cardMessage } from './card-message.ts';
import type { Place } from './messages.ts';
import { noticeMessage } from './notice.ts';
import { threadMessage } from './thread.ts';

/** What stands in Slack of an incident, and what its record says. */
export interface Scene {
  readonly post: Post | undefined;
  /** The incident's proposal. */
  readonly current: Proposal;
  /** The proposal that the message shows, where that is another one. */
  readonly former: Proposal | undefined;
}

/** One call that brings the message nearer to the record, and the post by what became of it. */
export interface Action {
  readonly does: 'post' | 'update' | 'thread';
  readonly channel: string;
  /** The message that is changed, or in whose thread it is told. */
  readonly message: string | undefined;
  readonly content: Message;
  /** It was done; `ts` is the new message of a `post`. */
  done(ts: string): Post;
  /** Slack refused the content; undefined: also the plainest one. */
  readonly refused: Post | undefined;
  /** The message is not there any more. */
  readonly gone: Post;
}

export interface Drawing {
  /** A record as people read it, as of a moment. */
  readonly draw: (proposal: Proposal, at: Date) => Card;
  readonly now: Date;
}

/** A card that could not be posted for so long after its end is of no use to anybody. */
const OUTDATED = 86_400_000;
/** What stands in `shown` before the digest of a message that Slack refused. */
const REFUSED = 'refused:';

/** The next call; undefined: the message shows what the record says. `channel` is where a new message goes. */
export function nextAction(scene: Scene, channel: string, drawing: Drawing): Action | undefined {
  const { post, current, former } = scene;
  if (post?.message === undefined)
    return isOutdated(current, drawing.now) ? undefined : posting(scene, channel, drawing);
  const place = { channel: post.channel, message: post.message };
  if (!former || post.proposal === current.id) return refreshing(post, place, current, drawing);
  if (isInPlace(former, current)) {
    // Told before it is shown, for the row says of which proposal the thread was told.
    const stages = [...former.timeline.slice(post.told), ...current.timeline];
    const told = { ...post, proposal: current.id, told: current.timeline.length };
    return telling(post, place, { card: cardOf(current, drawing), stages, told });
  }
  // The former card is brought to its end before it is left behind: its buttons must go.
  return refreshing(post, place, former, drawing) ?? posting(scene, channel, drawing);
}

/** A newer revision and an undo take the place of what the message shows; what is opened anew after an end is a new message. */
const isInPlace = (former: Proposal, current: Proposal) =>
  former.state === 'superseded' || current.undoes !== undefined;

const isOutdated = ({ state, changedAt }: Proposal, now: Date) =>
  !isUndecided(state) && !isRunning(state) && now.getTime() - Date.parse(changedAt) > OUTDATED;

/** As of its last change: the same record always gives the same card. */
const cardOf = (proposal: Proposal, { draw }: Drawing) =>
  draw(proposal, new Date(proposal.timeline.at(-1)?.at ?? proposal.openedAt));

function posting({ post, current }: Scene, channel: string, drawing: Drawing): Action {
  const isSame = post?.proposal === current.id;
  const { content, digest, isPlain } = contentOf(cardOf(current, drawing), isSame ? post.shown : undefined);
  const blank: Post = {
    ...{ schema: 1, id: current.incident, cluster: current.cluster, proposal: current.id, channel },
    // The card itself tells that it was opened.
    told: isSame ? Math.max(1, post.told) : 1,
  };
  return {
    ...{ does: 'post', channel, message: undefined, content },
    done: (message) => ({ ...blank, message, shown: digest }),
    refused: isPlain ? undefined : { ...blank, shown: `${REFUSED}${digest}` },
    gone: blank,
  };
}

function refreshing(post: Post, { channel, message }: Place, proposal: Proposal, drawing: Drawing): Action | undefined {
  const card = cardOf(proposal, drawing);
  const { content, digest, isPlain } = contentOf(card, post.shown);
  if (digest !== post.shown)
    return {
      ...{ does: 'update', channel, message, content },
      done: () => ({ ...post, proposal: proposal.id, shown: digest }),
      refused: isPlain ? undefined : { ...post, shown: `${REFUSED}${digest}` },
      gone: withoutMessage(post),
    };
  const stages = proposal.timeline.slice(post.told);
  if (stages.length === 0) return undefined;
  return telling(post, { channel, message }, { card, stages, told: { ...post, told: proposal.timeline.length } });
}

function telling(post: Post, place: Place, to: { card: Card; stages: readonly Stage[]; told: Post }): Action {
  return {
    ...{ does: 'thread', channel: place.channel, message: place.message },
    content: threadMessage(to.card, to.stages),
    done: () => to.told,
    // The card itself shows where things stand.
    refused: to.told,
    gone: withoutMessage(post),
  };
}

const withoutMessage = ({ message: _message, shown: _shown, ...post }: Post): Post => post;

function contentOf(card: Card, shown: string | undefined) {
  const content = cardMessage(card);
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
  const isPlain = shown === `${REFUSED}${digest}`;
  return { content: isPlain ? plainly(card) : content, digest, isPlain };
}

/** What is shown where Slack refuses the card: where it stands, and where it can be read and decided. */
function plainly({ clusterName, title, proposal }: Card): Message {
  const { id, state, because } = proposal;
  return noticeMessage({
    title: `${clusterName}: ${title}`,
    text: `${state}: ${because}. Slack does not take this card: read and decide it on the page, or with gleaner show ${id}.`,
    tone: 'bad',
  });
}
