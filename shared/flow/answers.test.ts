import { describe, expect, it } from 'vitest';
import { look, node, type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { type Click, type Event, type Fact, type From, type Outgoing, shownTo } from '../model.ts';
import { type Chat, TOLD, type Told } from '../ports/chat.ts';
import { routed } from '../worlds/hops.ts';
import { notify } from './notify.ts';
import { ROUTES } from './routes.ts';

const FROM: From = { team: 'T1', channel: 'C1', message: '1700.1', reply: 'https://hooks.example.test/secret' };
const answersOf = ({ facts }: Painted) =>
  facts.flatMap((fact) => ('click' in fact && 'because' in fact ? [`${fact.event}: ${fact.because}`] : []));

async function posted(world: Painted, proposal: string, message = FROM.message) {
  const item = (await world.store.get('proposal', proposal))?.item;
  if (!item || message === undefined) throw new Error('nothing was proposed');
  const { incident, cluster } = item;
  const post = { schema: 1 as const, id: incident, cluster, proposal, channel: 'C1', message, told: 0 };
  await world.store.put('post', post, (await world.store.get('post', incident))?.version ?? 0);
  return item;
}

/** An answer that one person alone sees. */
const ALONE: From = { team: 'T1', channel: 'C1', question: 'q1' };
const shown = async (world: Painted, proposal: string, who: string) => {
  const receipt = { schema: 1 as const, id: shownTo('q1', who, proposal), at: world.now().toISOString() };
  await world.store.put('receipt', receipt, 0);
};

async function press(world: Painted, click: Partial<Click> & Pick<Click, 'choice'>) {
  const id = world.click({ from: FROM, ...click });
  await world.settle(0);
  return id;
}

describe('A button', () => {
  it.each([
    ['a forwarded copy', { ...FROM, message: '1800.2' }],
    ['a copy in another channel', { ...FROM, channel: 'C2' }],
  ])('of %s decides nothing, and leads to the card', async (_what, from) => {
    const world = paintWorld();
    const id = await world.proposed();
    const { revision } = await posted(world, id);

    await press(world, { choice: 'approve', proposal: id, plan: 'mend', revision, from });

    expect(world.facts.at(-1)).toMatchObject({ event: 'refused', because: expect.stringMatching(/a copy/), see: id });
    expect(world.cluster.effects).toEqual([]);
  });

  it('of the card that Gleaner keeps decides, and one of an answer that it gave to that very person', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const { revision } = await posted(world, id);
    await shown(world, id, 'local:ann');

    await press(world, { choice: 'snooze', proposal: id, revision });
    await press(world, { choice: 'approve', proposal: id, plan: 'mend', revision, from: ALONE });

    expect(answersOf(world)).toEqual([expect.stringMatching(/^decided/), expect.stringMatching(/^decided/)]);
  });

  it.each([
    ['that Gleaner never gave', async () => {}, 'local:ann'],
    ['that was given to somebody else', (world: Painted, id: string) => shown(world, id, 'local:bob'), 'local:ann'],
    [
      'that was given long ago',
      async (world: Painted, id: string) => {
        await shown(world, id, 'local:ann');
        world.advance(31 * 60_000);
      },
      'local:ann',
    ],
  ])('of an answer %s decides nothing', async (_what, prepare, who) => {
    const world = paintWorld();
    const id = await world.proposed();
    const { revision } = await posted(world, id);
    await prepare(world, id);

    await press(world, { choice: 'approve', proposal: id, plan: 'mend', revision, from: ALONE, who });

    expect(answersOf(world)).toEqual([expect.stringMatching(/^refused: this is a copy/)]);
    expect(world.cluster.effects).toEqual([]);
  });

  it('that decided leaves a receipt with its answer, and no address in the audit log', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const { revision } = await posted(world, id);

    const click = await press(world, { choice: 'reject', proposal: id, revision, reason: 'known' });

    expect((await world.store.get('receipt', click))?.item.answer).toEqual({ ok: true, because: 'local:ann: known' });
    const audit = (await world.store.audit(0, 1_000)).map(({ text }) => text).join('\n');
    expect(audit).toContain('known');
    expect(audit).not.toContain('secret');
  });

  it('of a superseded card names the newer one', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const { revision } = await posted(world, id);
    world.cluster.set(RECOLOURED);
    look(world);
    await world.settle(3);
    const newer = (await world.proposals()).find((one) => one.id !== id)?.id;

    await press(world, { choice: 'approve', proposal: id, plan: 'mend', revision });

    expect(newer).toBeDefined();
    expect(world.facts.at(-1)).toMatchObject({ event: 'refused', see: newer });
  });
});

const RECOLOURED = node({ broken: 'true', colour: 'blue' });

describe('A diagnosis that somebody asks for', () => {
  it('is answered with what each rule saw', async () => {
    const world = paintWorld();

    await press(world, { choice: 'diagnose', what: 'Node/node1' });
    await world.settle(1);

    expect(answersOf(world)).toEqual([
      expect.stringMatching(/^answered: looking at/),
      expect.stringMatching(/^answered: .*node1/),
    ]);
  });

  it('names who asked on the card that it opens', async () => {
    const world = paintWorld();

    const id = await world.proposed();
    const { revision } = await posted(world, id);
    await press(world, { choice: 'reject', proposal: id, revision });

    world.advance(60_000);
    await press(world, { choice: 'diagnose', proposal: id, who: 'local:bob' });
    await world.settle(1);

    expect((await world.proposals()).find(({ state }) => state === 'open')?.requester).toBe('local:bob');
  });

  it.each([
    ['an object of a kind that no rule reads', { what: 'Secret/x' }, /no failure mode reads Secret\/x/],
    ['somebody who is no approver', { who: 'local:eve' as const }, /no approver of any plan/],
  ])('is refused for %s', async (_what, click, because) => {
    const world = paintWorld();

    await press(world, { choice: 'diagnose', ...click });

    expect(answersOf(world)).toEqual([expect.stringMatching(because)]);
  });
});

/** A chat that answers what a test says, and keeps what it was told. */
function chatThat(says: () => Told) {
  const told: string[] = [];
  const tell = async (line: string) => {
    told.push(line);
    return says();
  };
  const chat: Chat = {
    show: (proposal, { event }) => tell(`show ${proposal.id} ${event}`),
    answer: ({ id }, { ok, because }) => tell(`answer ${id} ${ok} ${because}`),
    reply: ({ id }) => tell(`reply ${id}`),
    announce: ({ of, text }) => tell(`announce ${of} ${text}`),
  };
  return { told, hop: routed(ROUTES.notify, notify(chat)) };
}

const CLICK: Click = { id: 'k1', who: 'slack:U1', choice: 'approve', from: FROM };
const event = (fact: Fact): Event => ({ id: 'e1', at: '2026-01-15T12:00:00Z', ...fact });
const factsOf = (outgoing: readonly Outgoing[]) => outgoing.map(({ fact, after }) => [fact.event, after]);

describe('notify', () => {
  it('tells later what could not be told now, and publishes what the chat found out about itself', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const silent = { event: 'unheard' as const, channel: 'C1', since: '2026-01-15T12:00:00Z', because: '503' };
    const { hop } = chatThat(() => ({ after: 7_000, facts: [silent] }));
    const run = (fact: Fact) => hop(world.world, event(fact));

    expect(factsOf(await run({ event: 'proposed', proposal: id }))).toEqual([
      ['unheard', undefined],
      ['unsent', 7_000],
    ]);
    const others: Fact[] = [
      { event: 'refused', click: CLICK, because: 'no' },
      { event: 'stopped', cluster: 'c', who: 'local:ann' },
      { event: 'asked', question: { id: 'q', who: 'slack:U1', from: FROM, ask: { is: 'status' } } },
    ];
    for (const fact of others) {
      const [, again] = await run(fact);
      if (!again) throw new Error('it is not told later');
      expect(again).toMatchObject({ fact: { event: 'untold' }, after: 7_000 });
      expect(factsOf(await run(again.fact))).toEqual([
        ['unheard', undefined],
        ['untold', 7_000],
      ]);
    }
  });

  it('names what news are of, also when they are told later', async () => {
    const world = paintWorld();
    const { hop, told } = chatThat(() => ({ after: 7_000 }));

    const [later] = await hop(world.world, event({ event: 'stopped', cluster: 'c', who: 'local:ann' }));
    if (!later) throw new Error('it is not told later');
    await hop(world.world, event(later.fact));

    expect(told).toEqual([1, 2].map(() => expect.stringMatching(/^announce stopped local:ann pulled/)));
  });

  it('tells an accepted clicker, and draws the card', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const { hop, told } = chatThat(() => TOLD);

    await hop(world.world, event({ event: 'decided', proposal: id, click: CLICK, because: 'approved' }));

    expect(told).toEqual(['answer k1 true approved', `show ${id} decided`]);
  });

  it('says that a click waits only while it has no answer', async () => {
    const world = paintWorld();
    const { hop, told } = chatThat(() => TOLD);
    const waited = event({ event: 'waited', click: CLICK });

    await hop(world.world, waited);
    const answer = { ok: true, because: 'approved' };
    await world.store.put('receipt', { schema: 1, id: 'k1', at: '2026-01-15T12:00:00Z', answer }, 0);
    await hop(world.world, waited);

    expect(told).toEqual([expect.stringMatching(/^answer k1 false Gleaner is behind/)]);
  });
});
