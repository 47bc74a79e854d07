import { describe, expect, it } from 'vitest';
import { BROKEN, look, node, type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { POLICY } from '../../test/simulator/world.ts';
import type { Click, Event, Fact, Outgoing, Principal } from '../model.ts';
import { HOPS } from '../worlds/hops.ts';
import { policyId } from './permit.ts';

const GREEN = node({ broken: 'true', colour: 'green' });
const states = async (world: Painted) => (await world.proposals()).map(({ state }) => state).sort();
const factsOf = (world: Painted, name: Fact['event']) => world.facts.filter(({ event }) => event === name);
const named = (outgoing: readonly Outgoing[]) => outgoing.map(({ fact }) => fact.event);

/** Delivers a fact once more, as it was published at `at`. */
function again(world: Painted, hop: keyof typeof HOPS, fact: Fact | undefined, at: string) {
  if (!fact) throw new Error('there was no such fact');
  const event: Event = { ...fact, id: 'a copy', at };
  return HOPS[hop](world.world, event);
}

/** Lets the process die right after the write of an item that `when` recognises, once. */
function dieAfter(world: Painted, when: (item: object) => boolean) {
  const { put } = world.store;
  let isDead = false;
  Object.assign(world.store, {
    put: async (...given: Parameters<typeof put>) => {
      const said = await put(...given);
      if (isDead || !when(given[1])) return said;
      isDead = true;
      throw new Error('killed');
    },
  });
}
const has = (fields: object) => (item: object) =>
  Object.entries(fields).every(([key, value]) =>
    Object.entries(item).some(([name, is]) => name === key && is === value),
  );

describe('What comes late or twice', () => {
  it('does not put an older finding in the place of a newer one', async () => {
    const world = paintWorld();
    await world.proposed();
    const first = world.now().toISOString();
    world.advance(60_000);
    world.cluster.set(GREEN);
    look(world);
    await world.settle(1);

    const said = await again(world, 'propose', factsOf(world, 'found')[0], first);

    expect(named(said)).not.toContain('proposed');
    expect((await world.proposals()).find(({ state }) => state === 'open')?.found.finding).toMatchObject({
      colour: 'green',
    });
  });

  it('withdraws nothing that has come back since', async () => {
    const world = paintWorld();
    await world.proposed();
    const [incident] = await world.store.list('incident');

    const cleared = { event: 'cleared' as const, incident: incident?.item.id ?? '', because: 'gone' };
    await again(world, 'propose', cleared, world.now().toISOString());

    expect(await states(world)).toEqual(['open']);
  });

  it('closes nothing that was opened after the run', async () => {
    const world = paintWorld();
    await world.approve(await world.proposed());
    world.cluster.set(BROKEN);
    await world.proposed();

    await again(world, 'verify', factsOf(world, 'verifying').at(-1), world.now().toISOString());

    expect((await world.store.list('incident')).map(({ item }) => item.state)).toEqual(['open']);
  });

  it('does not lift an emergency stop that was pulled after it', async () => {
    const world = paintWorld();
    const click: Click = { id: 'c1', who: 'local:ann', choice: 'resume', cluster: 'cluster-1' };
    const early = world.now().toISOString();
    world.advance(1_000);
    world.click({ choice: 'stop', cluster: 'cluster-1', who: 'local:bob' });
    await world.settle(0);

    const said = await again(world, 'decide', { event: 'clicked', click }, early);

    expect(said).toMatchObject([
      { fact: { event: 'refused', because: expect.stringMatching(/local:bob stopped it/) } },
    ]);
    expect((await world.store.get('switch', 'cluster-1'))?.item.stopped).toBe(true);
  });

  it('silences nothing for an hour that is over', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const click: Click = { id: 'c1', who: 'local:ann', choice: 'snooze', proposal: id };
    const early = world.now().toISOString();
    world.advance(3_600_000);

    await again(world, 'decide', { event: 'clicked', click }, early);

    expect(await states(world)).toEqual(['open']);
  });

  it('gives the first of two approvers the answer that they got before', async () => {
    const world = paintWorld(undefined, { policy: { ...POLICY, quorum: 2 } });
    const id = await world.proposed();
    const revision = (await world.proposals())[0]?.revision ?? '';
    dieAfter(world, (item) => 'approvals' in item && JSON.stringify(item.approvals).includes('local:ann'));

    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision });
    await world.settle(1);

    expect(factsOf(world, 'refused')).toEqual([]);
    expect(factsOf(world, 'decided')).toHaveLength(1);
  });

  it('tells of a withdrawal though the process died before it could', async () => {
    const world = paintWorld();
    await world.proposed();
    dieAfter(world, has({ state: 'closed' }));

    world.cluster.set(node({}));
    look(world);
    await world.settle(5);

    expect(await states(world)).toEqual(['withdrawn']);
    expect(factsOf(world, 'withdrawn')).toHaveLength(1);
  });

  it.each(['superseded', 'open'])(
    'tells what made way though the process died when "%s" was written',
    async (state) => {
      const world = paintWorld();
      await world.proposed();
      dieAfter(world, has({ state }));

      world.cluster.set(GREEN);
      look(world);
      await world.settle(5);

      expect(await states(world)).toEqual(['open', 'superseded']);
      expect(factsOf(world, 'superseded').length).toBeGreaterThan(0);
    },
  );

  it('neither approves nor runs a proposal that its incident does not name', async () => {
    const world = paintWorld();
    const row = await world.store.get('proposal', await world.proposed());
    if (!row) throw new Error('nothing was proposed');
    const approval = {
      click: 'c1',
      who: 'local:ann' as const,
      at: row.item.openedAt,
      plan: 'mend',
      policy: policyId(POLICY),
    };
    await world.store.put('proposal', { ...row.item, id: 'orphan' }, 0);
    const approved = {
      state: 'approved' as const,
      plan: 'mend',
      approvals: [approval],
      changedAt: world.now().toISOString(),
    };
    await world.store.put('proposal', { ...row.item, ...approved, id: 'approved-orphan' }, 0);

    world.click({ choice: 'approve', proposal: 'orphan', plan: 'mend', revision: row.item.revision });
    world.publish({ fact: { event: 'applying', proposal: 'approved-orphan' } });
    await world.settle(5);

    expect(factsOf(world, 'refused')).toMatchObject([
      { because: expect.stringMatching(/newer proposal took its place/) },
    ]);
    expect(factsOf(world, 'stale')).toMatchObject([{ proposal: 'approved-orphan' }]);
    expect(world.cluster.effects).toEqual([]);
  });

  it('counts two names once that turn out to be one person before the run begins', async () => {
    const people: Record<string, Principal[]> = {};
    const approvers = ['local:ann', 'slack:U1'] as const;
    const world = paintWorld(undefined, { policy: { ...POLICY, quorum: 2, approvers }, people });
    const id = await world.proposed();
    const revision = (await world.proposals())[0]?.revision ?? '';
    for (const who of approvers) world.click({ choice: 'approve', proposal: id, plan: 'mend', revision, who });
    await world.deliver();
    await world.deliver();

    people.ann = ['local:ann', 'slack:U1'];
    await world.settle(5);

    expect((await world.proposals()).find((one) => one.id === id)).toMatchObject({
      state: 'stale',
      because: expect.stringMatching(/1 of 2 needed approvals/),
    });
  });

  it('keeps no more of a reason than a record can hold', async () => {
    const world = paintWorld();
    const proposal = await world.proposed();
    const revision = (await world.proposals())[0]?.revision ?? '';

    world.click({ choice: 'approve', proposal, plan: 'mend', revision, reason: 'x'.repeat(100_000) });
    await world.settle(0);

    expect(JSON.stringify(await world.proposals()).length).toBeLessThan(20_000);
  });
});
