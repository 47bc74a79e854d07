import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paintMode } from '../../test/simulator/mode.ts';
import { look, node, paintWorld } from '../../test/simulator/paint.ts';
import { POLICY } from '../../test/simulator/world.ts';
import type { Json, Step } from '../handler.ts';
import type { Click } from '../model.ts';

type World = ReturnType<typeof paintWorld>;
const answers = ({ facts }: World) =>
  facts.flatMap((fact) =>
    fact.event === 'refused' || fact.event === 'decided' ? [`${fact.event}: ${fact.because}`] : [],
  );
const revisionOf = async (world: World, id: string) => (await world.store.get('proposal', id))?.item.revision ?? '';

async function approveAs(world: World, proposal: string, click: Partial<Click>) {
  world.click({ choice: 'approve', proposal, plan: 'mend', revision: await revisionOf(world, proposal), ...click });
  await world.settle(0);
}

describe('decide', () => {
  it.each([
    [
      'somebody who is no approver',
      { who: 'local:eve' },
      /local:eve may not decide this: it is for local:ann, local:bob/,
    ],
    ['a revision that was not read', { revision: 'another' }, /not the revision that you read/],
    ['a plan that is not offered', { plan: 'other' }, /offers no plan other/],
    ['a proposal that is not there', { proposal: 'nope' }, /there is no proposal nope/],
  ])('refuses %s, and says why', async (_what, click, because) => {
    const world = paintWorld();
    const id = await world.proposed();

    await approveAs(world, id, click);

    expect(answers(world)).toEqual([expect.stringMatching(because)]);
    expect(world.cluster.effects).toEqual([]);
  });

  it('lets nobody decide where no approver is named', async () => {
    const world = paintWorld(undefined, { policy: { ...POLICY, approvers: [] } });
    const id = await world.proposed();

    await approveAs(world, id, {});

    expect(answers(world)).toEqual([expect.stringMatching(/names no approver/)]);
  });

  it('asks for a reason where the policy does', async () => {
    const world = paintWorld(undefined, { policy: { ...POLICY, reasonRequired: true } });
    const id = await world.proposed();

    await approveAs(world, id, { reason: '  ' });
    await approveAs(world, id, { reason: 'seen on the console' });

    expect(answers(world)).toEqual([
      expect.stringMatching(/^refused: say why/),
      expect.stringMatching(/^decided: .*seen on the console/),
    ]);
  });

  it('counts one person once, whichever name they use', async () => {
    const world = paintWorld(undefined, {
      policy: { ...POLICY, quorum: 2 },
      people: { ann: ['local:ann', 'slack:U1'] },
    });
    const id = await world.proposed();

    await approveAs(world, id, { who: 'local:ann' });
    await approveAs(world, id, { who: 'slack:U1' });
    expect(answers(world)).toEqual([
      expect.stringMatching(/1 more must approve/),
      expect.stringMatching(/somebody else must, too/),
    ]);
    expect(world.cluster.effects).toEqual([]);

    await approveAs(world, id, { who: 'local:bob' });
    await world.settle(20);
    expect((await world.proposals()).map(({ state }) => state)).toEqual(['fixed']);
  });

  it('applies once however often the same click arrives', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const click: Click = {
      id: 'c1',
      who: 'local:ann',
      choice: 'approve',
      proposal: id,
      plan: 'mend',
      revision: await revisionOf(world, id),
    };

    for (let copy = 0; copy < 20; copy++) world.publish({ fact: { event: 'clicked', click } });
    await world.settle(20);

    expect(answers(world).every((answer) => answer.startsWith('decided'))).toBe(true);
    expect(world.cluster.effects).toHaveLength(3);
  });

  it('answers a late click with who decided what, and when', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await world.approve(id);

    await approveAs(world, id, { who: 'local:bob' });

    expect(answers(world).at(-1)).toMatch(/already decided: fixed by local:ann/);
  });

  it('takes no approval after the expiry, though no sweep has come by', async () => {
    const world = paintWorld();
    const id = await world.proposed();

    world.advance(25 * 3_600_000);
    await approveAs(world, id, {});

    expect(answers(world)).toEqual([expect.stringMatching(/expired/)]);
  });

  it('lets exactly one of approve and reject win, in any order of deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), async (order) => {
        const world = paintWorld();
        const id = await world.proposed();
        const revision = await revisionOf(world, id);
        const before = world.cluster.effects.length;
        world.click({ choice: 'approve', proposal: id, who: 'local:ann', plan: 'mend', revision });
        world.click({ choice: 'reject', proposal: id, who: 'local:bob' });
        for (const pick of order) await world.deliver((count) => pick % count);
        await world.settle(20);

        const [proposal] = await world.proposals();
        expect(['fixed', 'rejected']).toContain(proposal?.state);
        expect(answers(world).filter((answer) => answer.startsWith('decided'))).toHaveLength(1);
        expect(world.cluster.effects.length - before).toBe(proposal?.state === 'fixed' ? 3 : 0);
      }),
      { numRuns: 200 },
    );
  });

  it('refuses to approve on a cluster that is only observed', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    Object.assign(world.cluster, { does: 'observe' });

    await approveAs(world, id, {});

    expect(answers(world)).toEqual([expect.stringMatching(/only observes simulated/)]);
  });

  it('lets a snoozed card come back after its hour', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.click({ choice: 'snooze', proposal: id });
    await world.settle(0);
    expect((await world.proposals())[0]?.state).toBe('snoozed');

    world.advance(3_600_000);
    world.publish({ fact: { event: 'ticked', since: world.now().toISOString() } });
    await world.settle(0);

    expect((await world.proposals())[0]?.state).toBe('open');
  });

  it('writes every decision and refusal into the audit log', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await approveAs(world, id, { who: 'local:eve' });
    await approveAs(world, id, {});

    const lines = (await world.store.audit(1, 100)).filter(({ kind }) => kind === 'decision');

    expect(lines.map(({ text }) => JSON.parse(text))).toMatchObject([
      { event: 'refused', click: { who: 'local:eve' } },
      { event: 'decided', click: { who: 'local:ann' } },
    ]);
  });

  it('tells the clicker of a healed fault that it went away', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.cluster.set(node({}));
    look(world);
    await world.settle(5);

    await approveAs(world, id, {});

    expect(answers(world)).toEqual([expect.stringMatching(/went away by itself/)]);
  });

  it('judges an approval by the policy of its plan, not by that of a riskier one beside it', async () => {
    const plan = (finding: Json) => {
      const offer = paintMode.plan(finding);
      const risky = offer.plans.map((one) => ({ ...one, id: 'risky', risk: 'high' as const }));
      return { ...offer, plans: [...offer.plans, ...risky] };
    };
    const world = paintWorld(undefined, { mode: { ...paintMode, plan } });
    const approvers = { low: ['local:ann'], medium: [], high: ['local:bob'] } as const;
    const policy = ({ risk }: { risk: keyof typeof approvers }) => ({ ...POLICY, approvers: approvers[risk] });
    Object.assign(world.world, { rules: { ...world.world.rules, policy } });
    const id = await world.proposed();

    await approveAs(world, id, { who: 'local:ann', plan: 'risky' });
    await approveAs(world, id, { who: 'local:ann' });

    expect(answers(world)).toEqual([
      expect.stringMatching(/refused: local:ann may not decide/),
      expect.stringMatching(/decided: local:ann approved "Mend the node"/),
    ]);
  });

  it('ends a step that waits for a person when one says so, and gives a copy of the click the same answer', async () => {
    const plan = (finding: Json) => {
      const offer = paintMode.plan(finding);
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node1' };
      const ask: Step = { do: 'ask', target, because: 'it is loose', what: 'Push the plug.', deadline: '1h' };
      return { ...offer, plans: offer.plans.map((one) => ({ ...one, steps: [ask, ask, ...one.steps] })) };
    };
    const world = paintWorld(undefined, { mode: { ...paintMode, plan } });
    const id = await world.proposed();
    await world.approve(id, 'local:ann', 1);
    const click: Click = { id: 'c1', who: 'local:bob', choice: 'done', proposal: id };

    for (let copy = 0; copy < 3; copy++) world.publish({ fact: { event: 'clicked', click } });
    await world.settle(1);

    expect(answers(world).slice(1)).toEqual(Array(3).fill('decided: local:bob says that it is done'));
    const [, second] = (await world.proposals())[0]?.run.steps ?? [];
    expect(second?.is, 'one click, one step').toBe('waiting');
  });

  it('stops also a cluster that is not connected now', async () => {
    const world = paintWorld();
    await world.proposed();
    Object.assign(world.world, { clusters: new Map() });

    world.click({ choice: 'stop', cluster: 'cluster-1' });
    await world.settle(0);

    expect(world.facts.slice(-2)).toMatchObject([{ event: 'stopped' }, { event: 'answered' }]);
  });
});
