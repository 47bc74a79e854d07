import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { inProcessBus } from '../../../shared/adapters/inprocess/bus.ts';
import { Interactions } from '../../../shared/adapters/slack/app.ts';
import { slackChat } from '../../../shared/adapters/slack/chat.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { slackReceiver } from '../../../shared/adapters/slack/receiver.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../../shared/adapters/sqlite/store.ts';
import { notify } from '../../../shared/flow/notify.ts';
import { ROUTES } from '../../../shared/flow/routes.ts';
import type { World } from '../../../shared/flow/world.ts';
import type { Fact, Proposal } from '../../../shared/model.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { HOPS } from '../../../shared/worlds/hops.ts';
import { routed } from '../../../shared/worlds/routed.ts';
import { CHANNEL, type Message, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { paintWorld } from '../../simulator/paint.ts';
import { draw } from '../sending/records.ts';
import { type Listening, serveFunction, serveRoute } from './serve.ts';

const PEOPLE = Array.from({ length: 200 }, (_, nth) => `U${String(nth).padStart(5, '0')}`);

/** A proposal on a card in Slack, which 200 people may approve, and the hops that decide and tell. `coldFor`: the first request waits for that. */
async function crowdBed(how: 'https' | 'lambda', coldFor?: Promise<unknown>) {
  const painted = paintWorld();
  const id = await painted.proposed();
  painted.approvers.splice(0, Number.POSITIVE_INFINITY, ...PEOPLE.map((name) => `slack:${name}`));
  const clock: Clock = { now: painted.now, after: systemClock.after };
  const slack = await startSlack({ clock });
  onTestFinished(() => slack.stop());
  for (const name of PEOPLE) slack.add.user({ id: name });
  const database = openDatabase(':memory:');
  const store = sqliteStore(database);
  await copy(painted.store, store, id);
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl });
  const directory = slackDirectory({ api, clock, team: TEAM });
  const world: World = { ...painted.world, store, directory };
  const [warnings, facts]: [string[], Fact[]] = [[], []];
  const warn = (because: string) => void warnings.push(because);
  const chat = slackChat({
    ...{ api, store, clock, records: clock, draw, directory, warn, url: slack.apiUrl, clusterName: () => 'lab' },
    ...{ channelOf: () => CHANNEL, newsChannel: () => CHANNEL },
    board: { clusters: async () => [], cards: async () => [] },
  });
  const bus = inProcessBus({ database, clock, routes: { decide: ROUTES.decide, notify: ROUTES.notify } });
  bus.consume('decide', async (event) => {
    const outgoing = await HOPS.decide(world, event);
    facts.push(...outgoing.map(({ fact }) => fact));
    return outgoing;
  });
  const tell = routed(ROUTES.notify, notify(chat));
  bus.consume('notify', (event) => tell(world, event));
  await bus.publish([{ fact: { event: 'proposed', proposal: id } }]);
  await bus.drain();

  const receiver = slackReceiver({ clock, warn, secrets: { current: slack.signingSecret }, refused: async () => {} });
  new Interactions(receiver, {
    ...{ api, bus, store, clock, directory, warn, url: slack.apiUrl, refused: async () => {} },
    ...{ home: () => ({ team: TEAM }), card: async () => undefined },
  });
  const open = async () => {
    await coldFor;
    return receiver;
  };
  const listening: Listening = await (how === 'https' ? serveRoute : serveFunction)(open);
  onTestFinished(() => listening.stop());
  slack.target = listening.url;
  const [card] = slack.messages(CHANNEL);
  if (!card) throw new Error('no card was posted');
  return { slack, card, facts, warnings, bus, store, id };
}

/** What the world of the mode made goes on in the durable store. */
async function copy(from: World['store'], to: World['store'], id: string): Promise<void> {
  for (const { item } of await from.list('incident')) await to.put('incident', item, 0);
  const proposal: Proposal | undefined = (await from.get('proposal', id))?.item;
  if (!proposal) throw new Error(`there is no proposal ${id}`);
  await to.put('proposal', proposal, 0);
}

const textsOf = (messages: readonly Message[]) => messages.map(({ text }) => text);
const decisions = (facts: readonly Fact[]) => facts.filter(({ event }) => event === 'decided');

describe.each(['https', 'lambda'] as const)('Two hundred people who approve one proposal at once, over %s', (how) => {
  it('are all acknowledged in time and all answered, and one of them decided', async () => {
    const { slack, card, facts, bus, warnings } = await crowdBed(how);

    const deliveries = await Promise.all(PEOPLE.map((name) => slack.click(card, 'gleaner:approve:0', name)));
    await bus.drain();

    expect(deliveries.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
    expect(decisions(facts)).toHaveLength(1);
    const answers = textsOf(slack.ephemerals());
    expect(answers).toHaveLength(200);
    expect(answers.filter((text) => text.startsWith('Done'))).toHaveLength(1);
    expect(new Set(slack.ephemerals().map(({ visibleTo }) => visibleTo)).size).toBe(200);
    expect(warnings).toEqual([]);
    expect(bus.quarantined()).toEqual([]);
  }, 30_000);

  it('decide nothing twice after a start that is too slow for Slack, and a second click of each lands', async () => {
    const cold = Promise.withResolvers<void>();
    const { slack, card, facts, bus } = await crowdBed(how, cold.promise);
    const some = PEOPLE.slice(0, 50);
    const within = 200;

    const early = await Promise.all(some.map((name) => slack.click(card, 'gleaner:approve:0', name, { within })));
    cold.resolve();
    const later = await Promise.all(some.map((name) => slack.click(card, 'gleaner:approve:0', name)));
    await bus.drain();

    expect(early.filter(({ acknowledged }) => acknowledged)).toEqual([]);
    expect(later.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
    expect(decisions(facts)).toHaveLength(1);
    expect(new Set(slack.ephemerals().map(({ visibleTo }) => visibleTo)).size).toBe(50);
  }, 30_000);
});
