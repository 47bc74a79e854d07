import { expect } from 'vitest';
import type { Message, SlackDouble } from '../../doubles/slack/index.ts';
import { type Bed, OPS } from './bed.ts';

/** What a test sees of a Slack. */
export type SlackSeen = Pick<SlackDouble, 'calls' | 'messages'>;
type Seen = Bed & { readonly slack: SlackSeen };

export const jsonOf = (message: Message | undefined) => JSON.stringify(message?.blocks ?? []);
export const jsonsOf = (messages: readonly Message[]) => messages.map(jsonOf);
/** The cards and other messages of a channel that are no replies. */
export const inChannel = (slack: SlackSeen, channel = OPS) =>
  slack.messages(channel).filter(({ threadTs }) => threadTs === undefined);
export const cardsOf = (slack: SlackSeen) =>
  inChannel(slack).filter((message) => jsonOf(message).includes('gleaner:details'));
/** The replies in the thread of a message. */
export const repliesTo = (slack: SlackSeen, ts = '') => slack.messages().filter(({ threadTs }) => threadTs === ts);

export const proposed = (proposal: string) => ({ event: 'proposed' as const, proposal });

/** Opens so many incidents at once and tells of them. */
export async function openMany(bed: Bed, count: number, urgent: (index: number) => boolean = () => false) {
  for (let index = 0; index < count; index++) {
    await bed.records.open(`i${index}`, `p${index}`, bed.now(), { urgent: urgent(index) });
    await bed.publish(proposed(`p${index}`));
  }
}

/** Each of `openMany` has a card of its own that is known; `orphans` are cards beside those. */
export async function expectOneCardEach(bed: Seen, count: number, orphans = 0) {
  const known = await Promise.all(
    Array.from({ length: count }, async (_, index) => (await bed.store.get('post', `i${index}`))?.item.message),
  );
  expect(new Set(known).size).toBe(count);
  const cards = cardsOf(bed.slack).map(({ ts }) => ts);
  expect(cards).toEqual(expect.arrayContaining(known));
  expect(cards).toHaveLength(count + orphans);
}

/** Never two messages to the channel within a second, nor more changes than 50 a minute, whatever becomes of them. */
export function expectPaced(slack: SlackSeen) {
  const sent = slack
    .calls()
    .filter(({ args, method }) => args.channel === OPS && method !== 'chat.postEphemeral')
    .map(({ method, at }) => ({ method, at: at.getTime() }));
  for (const [index, { at }] of sent.entries()) {
    const before = sent[index - 1];
    if (before) expect(at - before.at).toBeGreaterThanOrEqual(1_000);
  }
  for (const { at } of sent) {
    const minute = sent.filter((one) => one.method === 'chat.update' && one.at >= at && one.at < at + 60_000);
    expect(minute.length).toBeLessThanOrEqual(50);
  }
}

/** Every message obeyed Slack's limits and made nothing active that was not meant. */
export function expectPolite(slack: SlackSeen) {
  const faulty = slack.calls().filter(({ outcome = '' }) => ['invalid_blocks', 'invalid_arguments'].includes(outcome));
  expect(faulty).toEqual([]);
  const active = slack.messages().flatMap(({ versions }) => versions.flatMap(({ entities }) => entities));
  expect(active.filter(({ kind }) => kind !== 'user')).toEqual([]);
}
