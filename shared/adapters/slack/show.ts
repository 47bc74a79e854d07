import type { Event, Fact, Post, Proposal } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Row } from '../../ports/store.ts';
import { postDigest } from './backlog.ts';
import type { Sender } from './lane.ts';
import { isLease, isOf, leased, marked } from './mark.ts';
import { post, update } from './messages.ts';
import type { Parts } from './parts.ts';
import { about, failureOf } from './refusals.ts';
import { type Action, nextAction, type Scene } from './view.ts';
import type { Called } from './web-api.ts';

/** For how long a call is nobody else's: longer than it can last. */
const LEASE = 15_000;
/** Clocks of two machines differ: a delivery that comes a little early keeps its own promise. */
const EARLY = 2_000;
const ATTEMPTS = 8;

/** One delivery at work on the card of one incident. */
interface Work {
  readonly parts: Parts;
  readonly scene: Scene;
  readonly row: Row<Post> | undefined;
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
    if (channel === undefined) return parts.nowhere(scene.current);
    const incident = scene.current.incident;
    const action = nextAction(scene, channel, { draw: parts.draw, now: parts.clock.now() });
    const does = action?.does === 'update' ? ('update' as const) : ('post' as const);
    const to = action?.channel ?? row?.item.channel ?? channel;
    const sender = { channel: to, event: event.id, incident, does, isUrgent: isUrgent(scene.current) };
    if (!action) return { facts: await parts.lanes.leave(sender) };
    const told = await go({ parts, scene, row, action, sender });
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
  const dueAt = row?.item.dueAt;
  const left = Date.parse(dueAt ?? '') - clock.now().getTime();
  if (dueAt !== undefined && left > 0) {
    // Whoever has it in hand may have looked before this change, or be a copy of this delivery: so it looks again after it.
    if (isLease(dueAt)) return { after: left, facts: await lanes.owed(sender) };
    // The delivery that was promised looks at the record when it comes: then it sees this change.
    if (left > EARLY && !isOf(dueAt, sender.event)) return { facts: await lanes.owed(sender) };
  }
  const turn = await lanes.take(sender);
  if (turn.is === 'later') return promise(work, row?.item, turn);
  const digest = await postDigest(parts, work, turn);
  if (digest) return promise(work, row?.item, digest);
  const held = { ...(row?.item ?? work.action.gone), dueAt: leased(clock.now().getTime() + LEASE, sender.event) };
  const lease = await parts.store.put('post', held, row?.version ?? 0);
  return lease.ok ? carryOut(work, { item: held, version: lease.version }) : undefined;
}

/** Notes when the next delivery comes, and asks for it. Undefined: the row was changed meanwhile. */
async function promise(
  { parts: { store, clock }, action, sender, row }: Work,
  item: Post = action.gone,
  { after, facts }: { readonly after: number; readonly facts: readonly Fact[] },
  version = row?.version ?? 0,
): Promise<Told | undefined> {
  const dueAt = marked(clock.now().getTime() + after, sender.event);
  const put = await store.put('post', { ...item, dueAt }, version);
  return put.ok ? { after, facts } : undefined;
}

async function carryOut(work: Work, lease: Row<Post>): Promise<Told | undefined> {
  const { parts, action, sender, scene } = work;
  const called = await send(parts, action);
  const next = outcome(action, called);
  if (!next) return fail(work, lease, called);
  // Before anything else: a message whose address is not written down cannot be found again.
  const put = await parts.store.put('post', next, lease.version);
  if (!put.ok) return undefined;
  if (called.is !== 'ok') parts.warn(`${failureOf(called)}: the card of ${sender.incident} is shown otherwise`);
  const facts = await parts.lanes.worked(sender);
  const rest = nextAction({ ...scene, post: next }, action.channel, { draw: parts.draw, now: parts.clock.now() });
  if (!rest) return { facts: union(facts, await parts.lanes.leave(sender)) };
  const turn = await parts.lanes.queue(sender);
  const all = { after: turn.after, facts: union(facts, turn.facts) };
  return (await promise(work, next, all, put.version)) ?? all;
}

function send(
  { api }: Parts,
  { does, channel, message, content }: Action,
): Promise<Called<{ ts?: string | undefined }>> {
  if (does === 'update' && message !== undefined) return update(api, { channel, message }, content);
  return post(api, { channel, thread: message }, content);
}

/** The post after a call; undefined: nothing is known to have changed. */
function outcome(action: Action, called: Called<{ ts?: string | undefined }>): Post | undefined {
  if (called.is === 'ok') return action.done(called.value.ts ?? '');
  if (called.is !== 'refused') return undefined;
  switch (about(called.code)) {
    case 'content':
      return action.refused;
    case 'gone':
      return action.message === undefined ? undefined : action.gone;
    case 'channel':
      return undefined;
  }
}

async function fail(work: Work, { item, version }: Row<Post>, called: Called<unknown>): Promise<Told> {
  if (called.is === 'ok') throw new Error('A call that got through has not failed');
  const { parts, sender } = work;
  const because = failureOf(called);
  const retryAfter = called.is === 'throttled' ? called.retryAfter : undefined;
  const turn = await parts.lanes.failed(sender, { because, retryAfter });
  return (await promise(work, item, turn, version)) ?? turn;
}

/** Each kind of fact once. */
const union = (...all: readonly (readonly Fact[])[]): Fact[] => [
  ...new Map(all.flat().map((fact) => [fact.event, fact])).values(),
];
