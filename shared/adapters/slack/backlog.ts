import { milliseconds } from '../../handler.ts';
import type { Fact, Proposal } from '../../model.ts';
import type { Sender, Yours } from './lane.ts';
import { digestMessage } from './lists.ts';
import { post } from './messages.ts';
import type { Parts } from './parts.ts';
import type { Action, Scene } from './view.ts';

/** So many cards that wait are a backlog: the last of them comes later than anybody would look. */
const BACKLOG = 8;
/** Those are read that go out first. */
const READ = 300;
const EVERY = milliseconds('5m');
/** After this long it is looked again whether those who wait are cards or only changes of them. */
const RECOUNT = milliseconds('20s');

/** What wants to send while others wait behind it. */
interface Waiting {
  readonly scene: Scene;
  readonly action: Action;
  readonly sender: Sender;
}

/**
 * Where many cards wait that nobody has seen yet, the turn goes to one message that names them all. Undefined: there is
 * no such backlog, or it was told of, and the turn is the card's.
 */
export async function postDigest(
  parts: Parts,
  { scene, action, sender }: Waiting,
  { backlog, digestAt }: Yours,
): Promise<{ readonly after: number; readonly facts: readonly Fact[] } | undefined> {
  const { lanes, clock } = parts;
  const now = clock.now().getTime();
  if (backlog.length < BACKLOG || now - Date.parse(digestAt ?? '1970-01-01') < EVERY) return undefined;
  const own = action.does === 'post' ? [scene.current] : [];
  const unseen = [...own, ...(await unseenOf(parts, backlog))];
  if (unseen.length < BACKLOG) {
    await lanes.digested(sender.channel, new Date(now - EVERY + RECOUNT).toISOString());
    return undefined;
  }
  await lanes.digested(sender.channel, clock.now().toISOString());
  const cards = unseen.map((proposal) => parts.draw(proposal, parts.records.now()));
  const called = await post(parts.api, { channel: sender.channel }, digestMessage(cards));
  if (called.is === 'ok') {
    const facts = await lanes.worked(sender);
    // It gave its turn away, and is the next of those that may wait.
    const turn = await lanes.queue({ ...sender, isUrgent: true });
    return { after: turn.after, facts: turn.facts.length > 0 ? turn.facts : facts };
  }
  await lanes.digested(sender.channel, undefined);
  return lanes.failed(sender, called);
}

async function unseenOf({ store }: Parts, incidents: readonly string[]): Promise<Proposal[]> {
  const read = incidents.slice(0, READ).map(async (id) => {
    if ((await store.get('post', id))?.item.message !== undefined) return undefined;
    const current = (await store.get('incident', id))?.item.proposal;
    return current === undefined ? undefined : (await store.get('proposal', current))?.item;
  });
  return (await Promise.all(read)).filter((proposal) => proposal !== undefined);
}
