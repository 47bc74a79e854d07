import { describe, expect, it } from 'vitest';
import { opened } from '../../../shared/flow/propose.ts';
import type { Policy, Rules } from '../../../shared/flow/world.ts';
import type { Principal } from '../../../shared/model.ts';
import { twice } from '../../../shared/worlds/start.ts';
import { look, paintWorld } from '../../simulator/paint.ts';
import { POLICY } from '../../simulator/world.ts';
import { approval, DOWN, decided, directoryOf, NO, rulesOf, said, saidIn, YES } from './bed.ts';

const ANN = { ann: ['local:ann', 'slack:U1'] } as const;
const LEFT = NO('the account is deactivated');
const BY_NAME: Policy = { ...POLICY, approvers: ['slack:U1'] };
const BY_GROUP: Policy = { ...POLICY, approvers: ['slack-group:S1'] };
const GROUPS = { 'slack-group:S1': ['slack:U1'] };

describe('Who left the company', () => {
  it.each([
    ['the policy names', BY_NAME],
    ['a group still lists', BY_GROUP],
  ])('does not approve on the page either, by the account that %s', async (_which, policy) => {
    const directory = directoryOf({ 'slack:U1': LEFT }, GROUPS);
    const world = paintWorld(undefined, { policy, people: ANN, directory });
    const id = await world.proposed();

    world.click(await approval(world, id, 'local:ann'));
    await world.settle(5);

    expect(saidIn(world)).toEqual([expect.stringMatching(/^refused: .*the account is deactivated/)]);
    expect(world.cluster.effects).toEqual([]);
  });

  it('between the click on the page and the run has not approved', async () => {
    const members = { 'slack:U1': YES };
    const world = paintWorld(undefined, { policy: BY_NAME, people: ANN, directory: directoryOf(members) });
    const id = await world.proposed();
    world.click(await approval(world, id, 'local:ann'));
    await world.deliver();

    members['slack:U1'] = LEFT;
    await world.settle(5);

    expect((await world.proposals())[0]?.state).toBe('stale');
    expect(world.cluster.effects).toEqual([]);
  });

  it('is another thing than a Slack that does not answer: who is named decides on the page then', async () => {
    const world = paintWorld(undefined, { policy: BY_NAME, people: ANN, directory: directoryOf({ 'slack:U1': DOWN }) });
    const id = await world.proposed();

    world.click(await approval(world, id, 'local:ann'));
    await world.settle(5);

    expect((await world.proposals())[0]?.state).toBe('fixed');
  });
});

describe('Who asked for it', () => {
  it('does not approve it because another look came before the one that was asked for', async () => {
    const world = paintWorld(undefined, { policy: { ...POLICY, requesterMayApprove: false } });
    const first = await world.proposed();
    world.click({ choice: 'reject', proposal: first, who: 'local:bob' });
    await world.settle(0);
    world.advance(60_000);

    world.click({ choice: 'diagnose', proposal: first, who: 'local:ann' });
    await world.deliver();
    look(world);
    while (world.due() > 0) await world.deliver((count) => count - 1);
    const second = (await world.proposals()).find(({ state }) => state === 'open')?.id ?? '';
    world.click(await approval(world, second, 'local:ann'));
    await world.settle(5);

    expect(second).not.toBe('');
    expect(saidIn(world).at(-1)).toMatch(/^refused: you asked for it/);
    expect(world.cluster.effects).toEqual([]);
  });
});

describe('A policy of one mode', () => {
  const strict = (mode: string): Policy => ({ ...POLICY, approvers: mode === 'paint' ? ['local:bob'] : ['local:ann'] });
  const silence = (who: Principal, what: string) => ({ choice: 'silence' as const, what, lasts: '1h', who });

  it.each(['paint', 'Node/node1'])('is not got round by silencing %s', async (what) => {
    const world = paintWorld();
    const rules = rulesOf(world, strict);

    const byAnn = said(await decided(world, silence('local:ann', what), { rules }));
    const byBob = said(await decided(world, silence('local:bob', what), { rules }));

    expect(byAnn).toEqual([expect.stringMatching(/^refused: local:ann is no approver/)]);
    expect(byBob).toEqual([expect.stringMatching(/^answered: /)]);
  });

  it('lets those whom it names pull the emergency stop', async () => {
    const world = paintWorld();

    const told = said(await decided(world, { choice: 'stop', who: 'local:bob' }, { rules: rulesOf(world, strict) }));

    expect(told).toEqual([expect.stringMatching(/^answered: every run .* is stopped/)]);
  });
});

describe('A name', () => {
  it('that two clusters have stops neither of them, and says so', async () => {
    const world = paintWorld();
    const twin = { ...world.cluster, id: 'cluster-2', name: world.cluster.name };
    const known = new Map([...world.world.known, [twin.id, twin] as const]);

    const told = said(await decided(world, { choice: 'stop', cluster: twin.name }, { known }));

    expect(told).toEqual([expect.stringMatching(/^refused: several clusters are called .*cluster-1, cluster-2$/)]);
    expect(await world.store.list('switch')).toEqual([]);
  });

  it('of a cluster that is followed by another one already is refused at the start', () => {
    const clusters = [
      { id: 'c1', name: 'prod' },
      { id: 'c2', name: 'lab' },
      { id: 'c1', name: 'prod2' },
    ];

    expect(twice(clusters)).toEqual([expect.stringMatching(/^prod and prod2 are one cluster/)]);
    expect(twice(clusters.slice(0, 2))).toEqual([]);
  });
});

describe('A plan', () => {
  it('cannot be approved for longer than its own tier allows, though a riskier one beside it can', async () => {
    const world = paintWorld();
    const first = (await world.store.get('proposal', await world.proposed()))?.item;
    const [plan] = first?.found.offer.plans ?? [];
    if (!first || !plan) throw new Error('nothing was proposed');
    const offer = { ...first.found.offer, plans: [plan, { ...plan, id: 'more', risk: 'high' as const }] };
    const rules: Rules = {
      ...world.world.rules,
      policy: ({ risk }) => ({ ...POLICY, expiry: risk === plan.risk ? '1h' : '24h' }),
    };

    const { openedAt, expiresAt } = opened({ ...world.world, rules }, 'p2', {
      ...first,
      found: { ...first.found, offer },
      at: world.now().toISOString(),
    });

    expect(Date.parse(expiresAt) - Date.parse(openedAt)).toBe(3_600_000);
  });
});

describe('A guest', () => {
  it.each(['stop', 'resume', 'silence', 'unsilence', 'diagnose'] as const)(
    'who types %s is not told which clusters there are',
    async (choice) => {
      const world = paintWorld(undefined, { directory: directoryOf({ 'slack:U9': NO('the account is a guest') }) });
      const click = { choice, who: 'slack:U9' as const, what: 'Node/node1', lasts: '1h', cluster: 'moon' };

      const told = said(await decided(world, click));

      expect(told).toEqual([expect.stringMatching(/^refused: .*the account is a guest/)]);
      expect(told.join()).not.toMatch(/cluster/);
    },
  );
});
