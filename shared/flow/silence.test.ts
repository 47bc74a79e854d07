import { describe, expect, it } from 'vitest';
import { look, type Painted, paintWorld } from '../../test/simulator/paint.ts';
import type { Click } from '../model.ts';
import { decide } from './decide.ts';

const HOUR = 3_600_000;
const lasts = (click: Partial<Click>): Partial<Click> & Pick<Click, 'choice'> => ({ choice: 'silence', ...click });
const answersOf = ({ facts }: Painted) =>
  facts.flatMap((fact) => (fact.event === 'refused' || fact.event === 'answered' ? [fact.because] : []));

async function say(world: Painted, click: Partial<Click> & Pick<Click, 'choice'>) {
  world.click(click);
  await world.settle(0);
}

/** Looks through the settle window. */
async function lookLong(world: Painted) {
  look(world);
  await world.settle(3);
}

describe('A silence', () => {
  it.each([
    ['its object', 'Node/node1'],
    ['its object in other letters', 'node/NODE1'],
    ['its mode', 'paint'],
  ])('keeps %s from opening a card, and ends by itself', async (_what, what) => {
    const world = paintWorld();
    await say(world, lasts({ what, lasts: '2h', reason: 'its disk is replaced' }));

    await lookLong(world);
    expect(await world.proposals()).toEqual([]);
    world.advance(2 * HOUR);
    await lookLong(world);

    expect(await world.proposals()).toMatchObject([{ state: 'open' }]);
    expect(world.facts).toContainEqual(expect.objectContaining({ event: 'silenced' }));
  });

  it('leaves other objects alone', async () => {
    const world = paintWorld();
    await say(world, lasts({ what: 'Node/node2', lasts: '2h' }));

    await lookLong(world);

    expect(await world.proposals()).toMatchObject([{ state: 'open' }]);
  });

  it('keeps an open card as it is, without reminders until it ends', async () => {
    const world = paintWorld();
    await world.proposed();
    world.advance(3 * HOUR);
    await say(world, lasts({ what: 'Node/node1', lasts: '4h' }));
    const reminders = () => world.facts.filter(({ event }) => event === 'reminded').length;

    world.advance(2 * HOUR);
    world.tick();
    await world.settle(0);
    expect([(await world.proposals())[0]?.state, reminders()]).toEqual(['open', 0]);
    world.advance(3 * HOUR);
    world.tick();
    await world.settle(0);

    expect(reminders()).toBe(1);
  });

  it('can be ended before its time, and what is still true is proposed then', async () => {
    const world = paintWorld();
    await say(world, lasts({ what: 'Node/node1', lasts: '24h' }));
    await lookLong(world);

    await say(world, { choice: 'unsilence', what: 'node/node1' });
    await world.settle(3);

    expect(await world.proposals()).toMatchObject([{ state: 'open' }]);
    expect(world.facts).toContainEqual(expect.objectContaining({ event: 'unsilenced' }));
  });

  it.each([
    ['longer than a day', { what: 'Node/node1', lasts: '25h' }, /not between/],
    ['without a span', { what: 'Node/node1' }, /for how long/],
    ['with a span that is none', { what: 'Node/node1', lasts: 'soon' }, /for how long/],
    ['of nothing', { lasts: '1h' }, /say what/],
    ['of what is neither mode nor object', { what: 'everything', lasts: '1h' }, /no failure mode \(paint\)/],
    [
      'by somebody who is no approver',
      { what: 'Node/node1', lasts: '1h', who: 'local:eve' as const },
      /no approver of any plan/,
    ],
    ['on a cluster that is not there', { what: 'Node/node1', lasts: '1h', cluster: 'moon' }, /no such cluster moon/],
  ])('%s is refused', async (_what, click, because) => {
    const world = paintWorld();

    await say(world, lasts(click));
    await lookLong(world);

    expect(answersOf(world)).toEqual([expect.stringMatching(because)]);
    expect(await world.proposals()).toMatchObject([{ state: 'open' }]);
  });

  it('is not ended by a copy of an older click', async () => {
    const world = paintWorld();
    const at = world.now().toISOString();
    world.advance(1_000);
    await say(world, lasts({ what: 'Node/node1', lasts: '2h' }));

    const click: Click = { id: 'old', who: 'local:ann', choice: 'unsilence', what: 'Node/node1' };
    const [refusal] = await decide(world.world, { event: 'clicked', click, id: 'e1', at });

    expect(refusal?.fact).toMatchObject({ event: 'refused', because: expect.stringMatching(/not silenced/) });
    await lookLong(world);
    expect(await world.proposals()).toEqual([]);
  });
});

describe('"I have it"', () => {
  it('stops the reminders for half an hour, leaves the card open, and asks again', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.advance(4 * HOUR - 60_000 * 5);
    await say(world, { choice: 'take', proposal: id, who: 'local:bob' });

    world.advance(60_000 * 20);
    world.tick();
    await world.settle(0);
    expect(world.facts.filter(({ event }) => event === 'reminded')).toEqual([]);
    expect((await world.proposals())[0]).toMatchObject({ state: 'open', taker: 'local:bob' });
    world.advance(60_000 * 15);
    world.tick();
    await world.settle(0);

    expect(world.facts.filter(({ event }) => event === 'reminded')).toHaveLength(1);
    const [proposal] = await world.proposals();
    expect(proposal?.taker).toBeUndefined();
    expect(proposal?.timeline.at(-1)?.because).toBe('local:bob had it in hand: does it still wait?');
  });

  it('is for who may decide', async () => {
    const world = paintWorld();
    const id = await world.proposed();

    await say(world, { choice: 'take', proposal: id, who: 'local:eve' });

    expect(answersOf(world)).toEqual([expect.stringMatching(/local:eve may not decide this/)]);
  });
});
