import type { Event, Fact, Post, Proposal } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Row } from '../../ports/store.ts';
import { postDigest } from './backlog.ts';
import type { Sender } from './lane.ts';
import { post, update } from './messages.ts';
import type { Parts } from './parts.ts';
import { about, failureOf } from './refusals.ts';
import { type Action, nextAction, type Scene } from './view.ts';
import type { Called, Failed } from './web-api.ts';

/** For how long a card is nobody else's: longer than a call can last. */
const LEASE = 15_000;
/** Clocks of two machines differ: a delivery that comes a little early keeps its own promise. */
const EARLY = 2_000;
const ATTEMPTS = 8;

/** One delivery at work on the card of one incident. */
interface Work {
  readonly parts: Parts;
  readonly scene: Scene;
  readonly row: Row<Post>;
  readonly action: Action;
  readonly sender: Sender & { readonly incident: string };
}

/**
 * Brings the message of an incident one call nearer to its record, when the channel's turn is there. What is left to do
 * is done by the delivery that it asks for; whatever dies on the way is found and finished by the next one.
 */
export async function show(parts: Parts, proposal: Proposal, event: Event): Promise<Told> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { row, ...scene } = await look(parts, proposal);
    const channel = parts.channelOf(scene.current);
    if (channel === undefined) return parts.nowhere();
    const incident = scene.current.incident;
    const action = nextAction(scene, channel, { draw: parts.draw, now: parts.clock.now() });
    const does = action?.does === 'update' ? ('update' as const) : ('post' as const);
    const to = action?.channel ?? row?.item.channel ?? channel;
    const sender = { channel: to, event: event.id, incident, does, isUrgent: isUrgent(scene.current) };
    if (!action) return { facts: await parts.lanes.leave(sender) };
    const told = await go({ parts, scene, row: row ?? { item: action.gone, version: 0 }, action, sender });
    if (told) return told;
  }
  throw new Error(`The card of ${proposal.incident} kept changing while it was brought to Slack`);
}

/** Whether a card goes before others. */
export const isUrgent = ({ found }: Proposal) => !found.mayWait.untilMorning;

async function look({ store }: Parts, given: Proposal): Promise<Scene & { row: Row<Post> | undefined }> {
  const incident = await store.get('incident', given.incident);
  const id = incident?.item.proposal ?? given.id;
  const current = (await store.get('proposal', id))?.item ?? given;
  const row = await store.get('post', given.incident);
  const shown = row?.item.proposal;
  const former = shown === undefined || shown === current.id ? undefined : (await store.get('proposal', shown))?.item;
  return { row, post: row?.item, current, former };
}

/** Undefined: somebody else changed the row meanwhile. */
async function go(work: Work): Promise<Told | undefined> {
  const { parts, row, sender } = work;
  const { lanes, clock } = parts;
  const { dueAt, dueBy, isLeased } = row.item;
  const left = dueAt === undefined ? 0 : Date.parse(dueAt) - clock.now().getTime();
  if (left > 0) {
    // Whoever has it in hand may have looked before this change, or be a copy of this delivery: so it looks again after it.
    if (isLeased) return { after: left, facts: await lanes.owed(sender) };
    // The delivery that was promised looks at the record when it comes: then it sees this change. What this very delivery
    // has promised may never have been published: it goes on, and promises anew.
    if (left > EARLY && dueBy !== sender.event) return { facts: await lanes.owed(sender) };
  }
  const turn = await lanes.take(sender);
  if (turn.is === 'later') return promise(work, row, turn);
  const digest = await postDigest(parts, work, turn);
  if (digest) return promise(work, row, digest);
  const leased = { ...row.item, ...due(work, LEASE), isLeased: true };
  const put = await parts.store.put('post', leased, row.version);
  return put.ok ? carryOut(work, { item: leased, version: put.version }) : undefined;
}

/** What a row says of the delivery that comes, or is done, in so many milliseconds. */
const due = ({ parts: { clock }, sender }: Work, after: number) => ({
  dueAt: new Date(clock.now().getTime() + after).toISOString(),
  dueBy: sender.event,
});

/** Notes when the next delivery comes, and asks for it. Undefined: the row was changed meanwhile. */
async function promise(
  work: Work,
  { item, version }: Row<Post>,
  { after, facts }: { readonly after: number; readonly facts: readonly Fact[] },
): Promise<Told | undefined> {
  const put = await work.parts.store.put('post', { ...item, ...due(work, after), isLeased: false }, version);
  return put.ok ? { after, facts } : undefined;
}

async function carryOut(work: Work, lease: Row<Post>): Promise<Told | undefined> {
  const { parts, action, sender } = work;
  const called = await send(parts, action);
  if (called.is === 'ok') return done(work, lease, action.done(called.value.ts ?? ''));
  const otherwise = outcome(action, called);
  if (!otherwise) {
    const turn = await parts.lanes.failed(sender, called);
    return (await promise(work, lease, turn)) ?? turn;
  }
  parts.warn(`${failureOf(called)}: the card of ${sender.incident} is shown otherwise`);
  return done(work, lease, otherwise);
}

function send(
  { api }: Parts,
  { does, channel, message, content }: Action,
): Promise<Called<{ ts?: string | undefined }>> {
  if (does === 'update' && message !== undefined) return update(api, { channel, message }, content);
  return post(api, { channel, thread: message }, content);
}

/** The post after a call that Slack refused; undefined: it is as before, and the same call is made again. */
function outcome(action: Action, failed: Failed): Post | undefined {
  if (failed.is !== 'refused') return undefined;
  switch (about(failed.code)) {
    case 'content':
      return action.refused;
    case 'gone':
      return action.message === undefined ? undefined : action.gone;
    case 'channel':
      return undefined;
  }
}

/** Slack has answered, and the message stands as the post says. Undefined: somebody else changed the row meanwhile. */
async function done(work: Work, lease: Row<Post>, shown: Post): Promise<Told | undefined> {
  const { parts, action, sender, scene } = work;
  // No promise is left behind that this delivery has kept: others would rely on it.
  const { dueAt: _dueAt, dueBy: _dueBy, isLeased: _isLeased, ...item } = shown;
  // Before anything else: a message whose address is not written down cannot be found again.
  const put = await parts.store.put('post', item, lease.version);
  if (!put.ok) return undefined;
  const facts = await parts.lanes.worked(sender);
  const rest = nextAction({ ...scene, post: item }, action.channel, { draw: parts.draw, now: parts.clock.now() });
  if (!rest) return { facts: union(facts, await parts.lanes.leave(sender)) };
  const turn = await parts.lanes.queue(sender);
  const all = { after: turn.after, facts: union(facts, turn.facts) };
  return (await promise(work, { item, version: put.version }, all)) ?? all;
}

/** Each kind of fact once. */
const union = (...all: readonly (readonly Fact[])[]): Fact[] => [
  ...new Map(all.flat().map((fact) => [fact.event, fact])).values(),
];
