import { describe, expect, it } from 'vitest';
import { type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { POLICY } from '../../test/simulator/world.ts';
import { type From, type Principal, shownTo } from '../model.ts';
import type { Directory, Says } from '../ports/directory.ts';
import type { Policy } from './world.ts';

const NO = (because: string): Says => ({ is: 'no', because });
const DOWN: Says = { is: 'unreadable', because: 'Slack does not answer' };

/** A directory whose answers a test changes; `asked` counts those that no cache may give. */
function people(members: Record<string, Says>, groups: Record<string, readonly string[]> = {}) {
  const asked = { fresh: 0 };
  const plain: Directory = {
    async isMember(who: Principal, from?: From) {
      if (from && from.team !== 'T1') return NO(`${from.team} is another workspace`);
      return members[who] ?? { is: 'yes' };
    },
    async belongs(who, group) {
      const named = groups[group];
      if (!named) return DOWN;
      return named.includes(who) ? { is: 'yes' } : NO(`${who} is not in ${group}`);
    },
    fresh() {
      asked.fresh += 1;
      return plain;
    },
  };
  return { directory: plain, asked, members };
}

const GROUP: Policy = { ...POLICY, approvers: ['slack-group:S1'] };
const saidIn = ({ facts }: Painted) =>
  facts.flatMap((fact) =>
    fact.event === 'refused' || fact.event === 'decided' ? [`${fact.event}: ${fact.because}`] : [],
  );

async function approve(world: Painted, id: string, who: string, more: { team?: string; minutes?: number } = {}) {
  const from = more.team === undefined ? {} : { from: { team: more.team, channel: 'C1', question: 'q1' } };
  const receipt = { schema: 1 as const, id: shownTo('q1', who, id), at: world.now().toISOString() };
  await world.store.put('receipt', receipt, 0);
  const revision = (await world.store.get('proposal', id))?.item.revision ?? '';
  world.click({ choice: 'approve', proposal: id, plan: 'mend', revision, who, ...from });
  await world.settle(more.minutes ?? 0);
}

describe('Who may decide', () => {
  it.each([
    ['a guest', { 'slack:U9': NO('U9 is a guest') }, {}, /slack:U9 may not decide this: U9 is a guest/],
    ['somebody of another workspace', {}, { team: 'T2' }, /T2 is another workspace/],
    ['somebody who is not in the group', {}, {}, /it is for slack-group:S1/],
    ['anybody while Slack does not answer', { 'slack:U9': DOWN }, {}, /Slack does not answer/],
  ])('refuses %s, in words', async (_who, members, more, because) => {
    const { directory } = people(members, { 'slack-group:S1': ['slack:U1'] });
    const world = paintWorld(undefined, { policy: GROUP, directory });
    const id = await world.proposed();

    await approve(world, id, 'slack:U9', more);

    expect(saidIn(world)).toEqual([expect.stringMatching(because)]);
    expect(world.cluster.effects).toEqual([]);
  });

  it('lets a member of a group decide, and a person whose other name is in it', async () => {
    const { directory } = people({}, { 'slack-group:S1': ['slack:U1', 'slack:U2'] });
    const policy = { ...GROUP, quorum: 2 };
    const world = paintWorld(undefined, { policy, directory, people: { ann: ['local:ann', 'slack:U1'] } });
    const id = await world.proposed();

    await approve(world, id, 'local:ann');
    await approve(world, id, 'slack:U1');
    await approve(world, id, 'slack:U2', { minutes: 5 });

    expect(saidIn(world)).toEqual([
      expect.stringMatching(/^decided: local:ann .*1 more must approve/),
      expect.stringMatching(/^refused: you have approved it already/),
      expect.stringMatching(/^decided: slack:U2/),
    ]);
    expect((await world.proposals())[0]?.state).toBe('fixed');
  });

  it('touches nothing for somebody who was deactivated between the click and the run, and asks no cache for that', async () => {
    const { directory, members, asked } = people({});
    const world = paintWorld(undefined, { policy: { ...POLICY, approvers: ['slack:U1'] }, directory });
    const id = await world.proposed();
    const revision = (await world.store.get('proposal', id))?.item.revision ?? '';
    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision, who: 'slack:U1' });
    await world.deliver();

    members['slack:U1'] = NO('U1 is deactivated');
    await world.settle(5);

    expect((await world.proposals())[0]).toMatchObject({ state: 'stale', because: expect.stringMatching(/0 of 1/) });
    expect(world.cluster.effects).toEqual([]);
    expect(asked.fresh).toBeGreaterThan(0);
  });

  it('waits with the run while it cannot be found out who somebody is, and begins once it can', async () => {
    const { directory, members } = people({});
    const world = paintWorld(undefined, { policy: { ...POLICY, approvers: ['slack:U1'] }, directory });
    const id = await world.proposed();
    const revision = (await world.store.get('proposal', id))?.item.revision ?? '';
    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision, who: 'slack:U1' });
    await world.deliver();

    members['slack:U1'] = DOWN;
    await expect(world.deliver()).resolves.toBeInstanceOf(Error);
    expect((await world.proposals())[0]?.state).toBe('approved');
    members['slack:U1'] = { is: 'yes' };
    await world.settle(5);

    expect((await world.proposals())[0]?.state).toBe('fixed');
  });

  it('keeps who asked for an undo from approving it where the policy says so', async () => {
    const policy = { ...POLICY, requesterMayApprove: false };
    const world = paintWorld(undefined, { policy });
    const first = await world.proposed();
    await world.approve(first);
    world.click({ choice: 'undo', proposal: first, who: 'local:ann' });
    await world.settle(0);
    const undo = (await world.proposals()).find(({ undoes }) => undoes === first)?.id ?? '';
    const revision = (await world.store.get('proposal', undo))?.item.revision ?? '';

    world.click({ choice: 'approve', proposal: undo, plan: 'undo', revision, who: 'local:ann' });
    await world.settle(0);
    expect(saidIn(world).at(-1)).toMatch(/^refused: you asked for it/);
    world.click({ choice: 'approve', proposal: undo, plan: 'undo', revision, who: 'local:bob' });
    await world.settle(5);

    expect((await world.proposals()).find(({ id }) => id === undo)?.state).toBe('fixed');
  });

  it('voids what was approved under another policy, also where the same people may approve', async () => {
    const policy: { -readonly [K in keyof Policy]: Policy[K] } = { ...POLICY, quorum: 2 };
    const world = paintWorld(undefined, { policy });
    const id = await world.proposed();
    await approve(world, id, 'local:ann');

    policy.approvers = ['local:ann', 'local:bob', 'local:eve'];
    await approve(world, id, 'local:bob');
    expect(saidIn(world).at(-1)).toMatch(/^decided: local:bob .*1 more must approve/);
    await approve(world, id, 'local:ann', { minutes: 5 });

    expect((await world.proposals())[0]?.state).toBe('fixed');
  });

  it('tells and audits a change of policy once, also of one that was made while nothing ran', async () => {
    const policy: { -readonly [K in keyof Policy]: Policy[K] } = { ...POLICY };
    const world = paintWorld(undefined, { policy });
    world.tick();
    await world.settle(0);
    policy.quorum = 2;
    world.tick();
    await world.settle(1);

    const told = world.facts.filter(({ event }) => event === 'policy-changed');
    expect(told).toMatchObject([{ because: expect.stringMatching(/policy\.quorum is now 2/) }]);
    const audit = await world.store.audit(0, 100);
    expect(audit.filter(({ text }) => text.includes('policy-changed'))).toHaveLength(1);
  });
});
