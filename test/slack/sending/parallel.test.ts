import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { slackChat } from '../../../shared/adapters/slack/chat.ts';
import type { SlackApi } from '../../../shared/adapters/slack/web-api.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { chance } from '../../conformance/chance.ts';
import { memoryStore } from '../../simulator/store.ts';
import { NOON, OPS } from './bed.ts';
import { directSlack } from './direct.ts';
import { draw, recordsIn } from './records.ts';
import { cardsOf, jsonOf, repliesTo } from './seen.ts';

interface Delivery {
  readonly id: string;
  readonly due: number;
  readonly proposal: string;
}

/** Many functions at once, each delivery in its own: every read, write and call lets others go before it. */
async function world(seed: number) {
  const random = chance(seed);
  const clock = manualClock(NOON);
  const plain = memoryStore();
  const slack = directSlack(() => clock.now());
  const yielding = async () => {
    for (let left = Math.floor(random() * 4); left > 0; left--) await turn();
  };
  const store: Store = {
    ...plain,
    async get(table, id) {
      await yielding();
      return plain.get(table, id);
    },
    async put(table, item, version) {
      await yielding();
      return plain.put(table, item, version);
    },
  };
  const api: SlackApi = {
    async call(method, args, answer) {
      await yielding();
      const called = await slack.call(method, args, answer);
      await yielding();
      return called;
    },
  };
  const all = { isMember: async () => ({ is: 'yes' }) as const, belongs: async () => ({ is: 'yes' }) as const };
  const chat = slackChat({
    ...{
      api,
      store,
      clock,
      records: clock,
      draw,
      clusterName: () => 'lab',
      channelOf: () => OPS,
      newsChannel: () => OPS,
    },
    board: { clusters: async () => [], cards: async () => [] },
    directory: {
      ...all,
      fresh: () => ({
        ...all,
        fresh: () => {
          throw new Error('not asked');
        },
      }),
    },
    warn: () => {},
  });
  let queue: Delivery[] = [];
  let count = 0;
  const add = (proposal: string, after = 0) =>
    queue.push({ id: `e${++count}`, due: clock.now().getTime() + after, proposal });

  async function deliver({ id, proposal }: Delivery) {
    const row = await plain.get('proposal', proposal);
    if (!row) throw new Error('nothing to show');
    const event = { event: 'unsent' as const, proposal, id, at: clock.now().toISOString() };
    const { after } = await chat.show(row.item, event);
    if (after !== undefined) add(proposal, after);
  }

  return {
    ...{ slack, store: plain, add, records: await recordsIn(plain), now: () => clock.now() },
    /** What is delivered twice, or in another order, is delivered so here, too. */
    async pass(seconds: number) {
      for (let left = seconds * 4; left > 0; left--) {
        const due = queue.filter((one) => one.due <= clock.now().getTime());
        queue = queue.filter((one) => one.due > clock.now().getTime());
        const twice = due.filter(() => random() < 0.1);
        await Promise.all([...due, ...twice].sort(() => random() - 0.5).map(deliver));
        clock.advance(250);
      }
    },
    pending: () => queue.length,
  };
}

it.each([1, 2, 3, 4])(
  'Functions that run at the same time post each card once, in order, at the pace (seed %i)',
  async (seed) => {
    const bed = await world(seed);
    for (let index = 0; index < 25; index++) {
      await bed.records.open(`i${index}`, `p${index}`, bed.now());
      for (let copy = 0; copy < 3; copy++) bed.add(`p${index}`);
    }
    await bed.pass(10);
    for (let index = 0; index < 25; index++) {
      const at = bed.now().toISOString();
      await bed.records.change(`p${index}`, { at, is: 'rejected', because: 'known' }, { state: 'rejected' });
      for (let copy = 0; copy < 2; copy++) bed.add(`p${index}`);
    }
    await bed.pass(200);

    const cards = cardsOf(bed.slack);
    expect(cards).toHaveLength(25);
    for (let index = 0; index < 25; index++) {
      const post = (await bed.store.get('post', `i${index}`))?.item;
      expect(jsonOf(cards.find(({ ts }) => ts === post?.message))).not.toContain('gleaner:approve');
      expect(repliesTo(bed.slack, post?.message)).toHaveLength(1);
    }
    const times = bed.slack.calls().map(({ at }) => at.getTime());
    for (const [index, at] of times.entries()) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(bed.pending()).toBe(0);
  },
  30_000,
);
