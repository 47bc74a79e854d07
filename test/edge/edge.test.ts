import { afterEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../shared/model.ts';
import { type EdgeBed, edgeBed } from './bed.ts';

const OBSERVED: Fact = { event: 'observed', cluster: 'cluster-1', mode: 'paint', because: 'changed', objects: [] };
let bed: EdgeBed;
afterEach(() => bed.close());

const proposals = async () => (await bed.store.list('proposal')).map(({ item }) => item);
const verbs = () => bed.cluster.effects.map(({ touch }) => (touch.do === 'call' ? touch.subresource : touch.do));

async function opened() {
  await bed.tell(OBSERVED);
  await bed.settle(60);
  const [open] = await proposals();
  if (!open) throw new Error(`nothing was proposed: ${bed.lines.join('\n')}`);
  return open;
}

const approval = (proposal: string, revision: string) => ({
  event: 'clicked' as const,
  click: { id: 'c1', who: 'local:ann' as const, choice: 'approve' as const, proposal, revision, plan: 'mend' },
});

describe('A cluster that works at its edge', () => {
  it('is looked at, mended and verified by its own queue alone, once, with a decision that was signed elsewhere', async () => {
    bed = await edgeBed();
    const { id, revision } = await opened();

    await bed.tell(approval(id, revision));
    await bed.settle(180);

    const [ended, ...more] = await proposals();
    expect([ended?.state, ended?.because, more]).toEqual(['fixed', expect.any(String), []]);
    expect(verbs()).toEqual(['stop', 'patch', 'start']);
    expect(bed.fake.queue('direct').peek(), 'no function that reaches clusters was asked').toEqual([]);
    expect(bed.lease.note(), 'the cluster remembers the run').toContain(id);
    expect(bed.fake.queue('edge-cluster-1-dead').peek()).toEqual([]);
  });

  it('writes what it touches into the audit log, by its name', async () => {
    bed = await edgeBed();
    const { id, revision } = await opened();
    await bed.tell(approval(id, revision));
    await bed.settle(180);

    const touches = (await bed.store.audit(1, 1_000)).filter(({ kind }) => kind === 'touch');

    expect(touches).toHaveLength(6);
    for (const { text } of touches) expect(JSON.parse(text)).toMatchObject({ edge: 'cluster-1' });
  });

  it('does nothing for a record and a message that were forged', async () => {
    bed = await edgeBed();
    const open = await opened();
    const row = await bed.store.get('proposal', open.id);
    const at = bed.clock.now().toISOString();
    const forged = {
      state: 'approved' as const,
      plan: 'mend',
      changedAt: at,
      decision: { until: '2026-01-15T13:00:00.000Z', signature: 'AAAA' },
    };
    await bed.store.put('proposal', { ...open, ...forged }, row?.version ?? 0);
    const detail = { schema: 1, event: 'applying', proposal: open.id, id: 'e1', at };
    bed.queue.send(JSON.stringify({ source: 'gleaner', 'detail-type': 'applying', detail }));

    await bed.settle(10);

    expect(verbs()).toEqual([]);
    expect((await proposals())[0]).toMatchObject({ state: 'stale', because: expect.stringMatching(/signature/) });
  });

  it('is told nothing that is for a cluster which functions reach', async () => {
    bed = await edgeBed('direct');

    await bed.tell(OBSERVED);

    expect(bed.queue.peek()).toEqual([]);
    expect(
      bed.fake
        .queue('direct')
        .peek()
        .map(({ body }) => JSON.parse(body).detail),
    ).toMatchObject([{ event: 'observed', cluster: 'cluster-1', reach: 'direct' }]);
  });

  it('sets aside what cannot be read, with the reason, and goes on', async () => {
    bed = await edgeBed();
    bed.queue.send('swordfish');

    await opened();

    const [dead] = bed.fake.queue('edge-cluster-1-dead').peek();
    expect(dead?.attributes.because?.StringValue).toMatch(/no JSON/);
  });
});

it('An undo is worked out at the edge, and decided elsewhere like every other plan', async () => {
  bed = await edgeBed();
  const { id, revision } = await opened();
  await bed.tell(approval(id, revision));
  await bed.settle(180);

  await bed.tell({ event: 'clicked', click: { id: 'c2', who: 'local:bob', choice: 'undo', proposal: id } });
  await bed.settle(5);

  const undo = (await proposals()).find((one) => one.undoes === id);
  expect([undo?.state, undo?.approvals], bed.lines.join('\n')).toEqual(['open', []]);
  const click = { id: 'c3', who: 'local:ann' as const, choice: 'approve' as const, plan: 'undo' };
  await bed.tell({
    event: 'clicked',
    click: { ...click, proposal: undo?.id ?? '', revision: undo?.revision ?? '' },
  });
  await bed.settle(120);
  expect((await proposals()).map(({ state }) => state).sort(), bed.lines.join('\n')).toEqual(['fixed', 'reverted']);
});
