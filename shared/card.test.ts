import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paintWorld } from '../test/simulator/paint.ts';
import { cardOf } from './card.ts';
import { kubectlOf, quoted } from './kubectl.ts';
import type { Proposal } from './model.ts';

const setting = {
  clusterName: 'lab',
  modeTitle: 'A node is broken',
  cause: { what: 'somebody broke it', upstream: [] },
  observeOnly: false,
  deciders: () => ({
    ...{ id: 'p', approvers: ['local:ann', 'local:bob'], quorum: 2 },
    ...{ requesterMayApprove: false, reasonRequired: false },
  }),
  now: new Date('2026-01-15T12:10:00Z'),
};

async function open(): Promise<Proposal> {
  const world = paintWorld();
  const row = await world.store.get('proposal', await world.proposed());
  if (!row) throw new Error('nothing was proposed');
  return row.item;
}

describe('The card', () => {
  it('says on its first screen since when, who feels it, whether it can wait, what approving does, what stays, and who decides', async () => {
    const { lines } = cardOf(await open(), setting);

    expect(lines.map(({ label, text }) => `${label}: ${text}`)).toEqual([
      'Since: 2026-01-15 12:00 UTC (9 min 30 s)',
      'Users: nothing yet',
      'Can it wait: Until morning: it is only a label',
      'Approve: Mends node1.',
      'For good: Nothing. Undo: the label can be set again',
      'Who: local:ann, local:bob; 2 of 2 still needed, until 2026-01-16 12:00 UTC',
    ]);
  });

  it('keeps its first screen within 600 characters, whatever a cluster calls its objects', async () => {
    const proposal = await open();
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5_000, unit: 'grapheme' }),
        fc.string({ maxLength: 2_000 }),
        (summary, users) => {
          const { lines } = cardOf({ ...proposal, found: { ...proposal.found, summary, users } }, setting);

          expect(lines).toHaveLength(6);
          expect(lines.reduce((sum, { label, text }) => sum + label.length + text.length, 0)).toBeLessThanOrEqual(600);
        },
      ),
    );
  });

  it('gives the room that short lines leave to the long ones', async () => {
    const proposal = await open();
    const users = 'x'.repeat(300);

    const [, felt] = cardOf({ ...proposal, found: { ...proposal.found, users } }, setting).lines;

    expect(felt?.text).toMatch(/x{250}/);
  });

  it('offers no decision on what is decided, and undo only where the plan offers it', async () => {
    const proposal = await open();
    const choices = (changes: Partial<Proposal>) => cardOf({ ...proposal, ...changes }, setting).choices;

    expect(choices({})).toEqual(['approve', 'reject', 'snooze', 'take']);
    expect(choices({ state: 'applying', plan: 'mend' })).toEqual([]);
    expect(choices({ state: 'failed', plan: 'mend' })).toEqual(['again']);
    expect(choices({ state: 'superseded' })).toEqual([]);
  });

  it('offers to undo what a run had changed before it failed', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await world.approve(id);
    const row = await world.store.get('proposal', id);
    if (!row) throw new Error('nothing was proposed');

    expect(cardOf({ ...row.item, state: 'failed' }, setting).choices).toEqual(['undo', 'again']);
    expect(cardOf({ ...row.item, state: 'unknown' }, setting).choices).toEqual(['undo', 'again']);
  });

  it('offers undo of a run that changed something', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await world.approve(id);
    const row = await world.store.get('proposal', id);

    expect(row && cardOf(row.item, setting).choices).toEqual(['undo']);
  });

  it('has no approve button where the cluster would refuse the plan, and says why', async () => {
    const proposal = await open();
    const dryRuns = { mend: [{ is: 'blocked' as const, because: 'nodes is forbidden' }] };

    const card = cardOf({ ...proposal, dryRuns }, setting);

    expect(card.choices).not.toContain('approve');
    expect(card.plans[0]?.closed).toBe('the cluster would refuse it: nodes is forbidden');
  });
});

describe('The same by hand', () => {
  it('quotes whatever stands in a name for the shell', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const inside = quoted(text);
        const bare = inside.startsWith("'") ? inside.replaceAll(`'\\''`, '\u0000').slice(1, -1) : inside;

        expect(bare).not.toContain("'");
        expect(bare.replaceAll('\u0000', "'")).toBe(text.replaceAll('\u0000', "'"));
      }),
    );
  });

  it('names the group of the kind, for several groups share names', () => {
    const target = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', name: 'pool1' };

    expect(kubectlOf({ do: 'delete', target, because: 'why' })).toBe(
      'kubectl delete ippool.loadbalancer.harvesterhci.io/pool1',
    );
  });
});
