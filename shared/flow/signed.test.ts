import { describe, expect, it } from 'vitest';
import { sealed, signer } from '../../test/edge/sealed.ts';
import { merged } from '../../test/simulator/cluster.ts';
import { paintMode } from '../../test/simulator/mode.ts';
import { BROKEN, look, type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { isObject, type Json, type Step } from '../handler.ts';
import type { Approval, Proposal } from '../model.ts';
import type { Seal } from '../ports/seal.ts';
import { decisionOn } from './signed.ts';

/** A world whose decisions are signed, and whose cluster remembers its runs. */
function sealedWorld(options: Parameters<typeof paintWorld>[1] = {}): Painted {
  const world: Painted = paintWorld(undefined, { seal: sealed(() => world.now()), ...options });
  return world;
}

const verbs = ({ cluster }: Painted) =>
  cluster.effects.map(({ touch }) => (touch.do === 'call' ? touch.subresource : touch.do));

async function recordOf(world: Painted, id: string): Promise<Proposal> {
  const row = await world.store.get('proposal', id);
  if (!row) throw new Error(`there is no proposal ${id}`);
  return row.item;
}

/** Writes a record as whoever can write the store would. */
async function forge(world: Painted, item: Proposal): Promise<void> {
  const row = await world.store.get('proposal', item.id);
  await world.store.put('proposal', item, row?.version ?? 0);
  const incident = await world.store.get('incident', item.incident);
  if (incident)
    await world.store.put('incident', { ...incident.item, state: 'open', proposal: item.id }, incident.version);
}

/** Up to the signed decision, and no further. */
async function approved(world: Painted): Promise<Proposal> {
  const id = await world.proposed();
  const { revision } = await recordOf(world, id);
  world.click({ choice: 'approve', proposal: id, plan: 'mend', revision });
  await world.deliver();
  const item = await recordOf(world, id);
  expect(item.state).toBe('approved');
  return item;
}

async function run(world: Painted, proposal: string, minutes = 20): Promise<Proposal> {
  world.publish({ fact: { event: 'applying', proposal } });
  await world.settle(minutes);
  return recordOf(world, proposal);
}

const eve: Approval = { click: 'forged', who: 'local:eve', at: '2026-01-15T12:00:00.000Z', plan: 'mend', policy: 'p' };

/** What a record can say otherwise than what was signed. */
const OTHERWISE: readonly (readonly [string, (item: Proposal) => Proposal])[] = [
  ['another cluster', (item) => ({ ...item, cluster: 'cluster-2' })],
  ['another proposal', (item) => ({ ...item, id: `${item.id}-2` })],
  ['another incident', (item) => ({ ...item, incident: 'another' })],
  ['another revision', (item) => ({ ...item, revision: '0123456789abcdef' })],
  [
    'another plan',
    (item) => ({ ...item, plan: 'risky', approvals: item.approvals.map((one) => ({ ...one, plan: 'risky' })) }),
  ],
  ['another mode', (item) => ({ ...item, found: { ...item.found, mode: 'other' } })],
  ['another finding', (item) => ({ ...item, found: { ...item.found, finding: { node: 'node2' } } })],
  ['other steps', (item) => ({ ...item, found: { ...item.found, offer: emptied(item) } })],
  ['another approver', (item) => ({ ...item, approvals: item.approvals.map((one) => ({ ...one, who: 'local:eve' })) })],
  ['one approver more', (item) => ({ ...item, approvals: [...item.approvals, eve] })],
  ['no approver', (item) => ({ ...item, approvals: [] })],
  ['another policy', (item) => ({ ...item, approvals: item.approvals.map((one) => ({ ...one, policy: 'none' })) })],
];
const emptied = ({ found: { offer } }: Proposal) => ({
  ...offer,
  plans: offer.plans.map((plan) => ({ ...plan, onFailure: [] })),
});

describe('A signed decision', () => {
  it('is carried out like every other', async () => {
    const world = sealedWorld();

    await world.approve(await world.proposed());

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
    expect((await world.proposals())[0]?.state).toBe('fixed');
  });

  it.each(OTHERWISE)('approves nothing where its record says %s', async (_what, alter) => {
    const world = sealedWorld();
    const forged = alter(await approved(world));
    await forge(world, forged);

    const { state, because } = await run(world, forged.id);

    expect(verbs(world)).toEqual([]);
    expect([state, because]).toEqual(['stale', expect.stringMatching(/signature on it is of another decision/)]);
  });

  it.each(OTHERWISE)('approves nothing where it was signed for %s', async (_what, alter) => {
    const world = sealedWorld();
    const item = await approved(world);
    await forge(world, { ...item, decision: await decisionOn(world.world, alter(item), item.changedAt) });

    const { state, because } = await run(world, item.id);

    expect(verbs(world)).toEqual([]);
    expect([state, because]).toEqual(['stale', expect.stringMatching(/signature on it is of another decision/)]);
  });

  it('cannot be lengthened', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    const { signature = '' } = item.decision ?? {};
    await forge(world, { ...item, decision: { until: '2026-01-16T12:00:00.000Z', signature } });

    expect(await run(world, item.id)).toMatchObject({
      state: 'stale',
      because: expect.stringMatching(/another decision/),
    });
    expect(verbs(world)).toEqual([]);
  });

  it.each([
    [59, 'fixed'],
    [60, 'stale'],
  ])('begins a run for an hour: after %i minutes the run ends %s', async (minutes, state) => {
    const world = sealedWorld();
    const item = await approved(world);
    world.advance(minutes * 60_000 - (world.now().getTime() - Date.parse(item.changedAt)));

    expect(await run(world, item.id)).toMatchObject({ state });
  });

  it.each([
    ['is not there', () => undefined],
    ['is empty', () => ''],
    ['is no base64', () => '%%%'],
    ['is of another key', (text: string) => signer().sign(text)],
    ['is very long', () => 'A'.repeat(100_000)],
  ])('approves nothing where the signature %s', async (_what, signature) => {
    const world = sealedWorld();
    const item = await approved(world);
    const given = await signature('gleaner approval 1\n');
    const { decision: _signed, ...rest } = item;
    const decision = given === undefined ? {} : { decision: { until: item.decision?.until ?? '', signature: given } };
    await forge(world, { ...rest, ...decision });

    expect(await run(world, item.id)).toMatchObject({ state: 'stale', because: expect.stringMatching(/signature/) });
    expect(verbs(world)).toEqual([]);
  });

  it('is carried out once, also where its record is put back as it was and the fault has come back', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    expect(await run(world, item.id)).toMatchObject({ state: 'fixed' });
    const before = verbs(world).length;
    world.cluster.set(BROKEN);
    await forge(world, item);

    const again = await run(world, item.id, 5);

    expect(verbs(world)).toHaveLength(before);
    expect(again).toMatchObject({ state: 'stale', because: expect.stringMatching(/carried out before/) });
  });

  it('is used up by the card that takes its place, also where the cluster is again as it was', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    paintedNode(world, 'green');
    expect(await run(world, item.id, 5)).toMatchObject({ state: 'stale' });
    look(world);
    await world.settle(2);
    expect((await world.proposals()).map(({ state }) => state).sort()).toEqual(['open', 'stale']);
    paintedNode(world, 'red');
    await forge(world, item);

    expect(await run(world, item.id, 5)).toMatchObject({ state: 'stale', because: expect.stringMatching(/before/) });
    expect(verbs(world)).toEqual([]);
  });

  it('begins no run that its record says is under way', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    paintedNode(world, 'green');
    await forge(world, { ...item, state: 'applying' });

    const { state, because } = await run(world, item.id, 5);

    expect([state, because]).toEqual(['unknown', expect.stringMatching(/knows of no such run/)]);
    expect(verbs(world)).toEqual([]);
  });

  it('is not made by who may only carry it out', async () => {
    const world = sealedWorld();
    const seal: Seal = { sign: () => Promise.reject(new Error('not here')), verify: () => true, notes: undefined };
    Object.assign(world.world, { seal });
    const id = await world.proposed();

    world.click({ choice: 'approve', proposal: id, plan: 'mend', revision: (await recordOf(world, id)).revision });

    expect(String(await world.deliver())).toContain('not here');
    expect((await recordOf(world, id)).state).toBe('open');
  });

  it('is neither made nor carried out where no seal was put in', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    Object.assign(world.world, { seal: undefined });
    world.publish({ fact: { event: 'applying', proposal: item.id } });

    expect(String(await world.deliver())).toContain('without a seal');
    expect(verbs(world)).toEqual([]);
  });

  it('is not made of a record that shows something else than its revision', async () => {
    const world = sealedWorld();
    const item = await recordOf(world, await world.proposed());
    await forge(world, { ...item, found: { ...item.found, offer: emptied(item) } });

    await world.approve(item.id);

    expect(world.facts).toContainEqual(
      expect.objectContaining({ event: 'refused', because: expect.stringMatching(/record was changed/) }),
    );
    expect(verbs(world)).toEqual([]);
  });
});

/** Another colour is another finding, and so another revision. */
function paintedNode({ cluster }: Painted, colour: string): void {
  const after = merged(cluster.object('Node node1'), { metadata: { labels: { colour } } });
  if (isObject(after)) cluster.set(after);
}

/** A run that waits for its node to be sound, with the VM stopped and the node mended. */
async function waiting(world: Painted): Promise<Proposal> {
  world.cluster.set({ ...BROKEN, metadata: { ...Object(BROKEN.metadata), annotations: { sound: 'no' } } });
  const item = await approved(world);
  world.publish({ fact: { event: 'applying', proposal: item.id } });
  await world.deliver();
  expect(verbs(world)).toEqual(['stop', 'patch']);
  const record = await recordOf(world, item.id);
  expect(record.run.steps.map(({ is }) => is)).toEqual(['done', 'done', 'waiting']);
  return record;
}

describe('The record of a run', () => {
  it('that is turned back makes no step twice', async () => {
    const world = sealedWorld();
    const item = await waiting(world);
    world.cluster.set({ ...BROKEN, metadata: { ...Object(BROKEN.metadata), annotations: { sound: 'yes' } } });
    await forge(world, { ...item, run: { steps: [], recovery: [] } });

    await run(world, item.id);

    expect(verbs(world)).toEqual(['stop', 'patch', 'start']);
  });

  it('that leaves a step out ends the run, and what was stopped is started', async () => {
    const world = sealedWorld();
    const item = await waiting(world);
    const steps = item.run.steps.map((step) => ({ ...step, is: 'done' as const }));
    await forge(world, { ...item, run: { ...item.run, steps } });

    const ended = await run(world, item.id);

    expect(ended).toMatchObject({ state: 'unknown', because: expect.stringMatching(/step 3 was not carried out/) });
    expect(ended.run.steps[3]?.is, 'no step follows what was left out').toBe('unknown');
    expect(verbs(world).filter((verb) => verb !== 'start')).toEqual(['stop', 'patch']);
  });

  it('that loses the trace of a call has it made no second time', async () => {
    const world = sealedWorld();
    const item = await approved(world);
    world.cluster.fault = () => 'lost-request';
    world.publish({ fact: { event: 'applying', proposal: item.id } });
    await world.deliver();
    world.cluster.fault = () => 'none';
    const begun = await recordOf(world, item.id);
    expect(begun.run.steps.map(({ is }) => is)).toEqual(['started']);
    await forge(world, { ...begun, run: { steps: [], recovery: [] } });

    const ended = await run(world, item.id);

    expect(ended.run.steps[0]).toMatchObject({ is: 'unknown', because: expect.stringMatching(/was begun/) });
    expect(verbs(world)).not.toContain('stop');
  });

  it('takes the word of a person that a step is done, and of nobody else', async () => {
    const ends: string[] = [];
    for (const said of ['by a person', 'by the record'] as const) {
      const world = sealedWorld({ mode: { ...paintMode, plan: asking } });
      const item = await approved(world);
      world.publish({ fact: { event: 'applying', proposal: item.id } });
      await world.deliver();
      const waits = await recordOf(world, item.id);
      expect(waits.run.steps.map(({ is }) => is)).toEqual(['waiting']);
      if (said === 'by a person') world.click({ choice: 'done', proposal: item.id, who: 'local:bob' });
      else await forge(world, { ...waits, run: { ...waits.run, steps: waits.run.steps.map(doneBy) } });
      ends.push((await run(world, item.id)).state);
    }
    expect(ends).toEqual(['fixed', 'unknown']);
  });

  it('is finished after a death at any write, with each effect once', async () => {
    for (let point = 1; point <= 40; point++) {
      const world = sealedWorld();
      const id = await world.proposed();
      dieAt(world, point);

      await world.approve(id);

      const effects = verbs(world);
      expect(effects.filter((verb) => verb === 'stop').length, `${point}: ${effects}`).toBeLessThanOrEqual(1);
      expect(effects.filter((verb) => verb === 'patch').length, `${point}: ${effects}`).toBeLessThanOrEqual(1);
      expect(['fixed', 'unknown', 'failed'], `${point}`).toContain((await recordOf(world, id)).state);
      expect(world.cluster.object('Vm default/vm1') ?? world.cluster.object('Vm vm1')).not.toMatchObject({
        spec: { running: false },
      });
    }
  });
});

const doneBy = <T extends object>(step: T) => ({
  ...step,
  is: 'done' as const,
  because: 'local:bob says that it is done',
});

function asking(finding: Json) {
  const offer = paintMode.plan(finding);
  const target = { apiVersion: 'v1', kind: 'Node', name: 'node1' };
  const ask: Step = { do: 'ask', target, because: 'it is loose', what: 'Push the plug.', deadline: '1h' };
  return { ...offer, plans: offer.plans.map((one) => ({ ...one, steps: [ask, ...one.steps] })) };
}

/** Lets the process die once, at its `point`-th write to the store, the cluster or the notes, before or after it. */
function dieAt(world: Painted, point: number): void {
  let writes = 0;
  const mortal =
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (++writes === point) throw new Error('killed');
      const said = await write(...given);
      if (++writes === point) throw new Error('killed');
      return said;
    };
  const { notes } = world.world.seal ?? {};
  if (!notes) throw new Error('the world keeps no notes');
  Object.assign(world.store, { put: mortal(world.store.put) });
  Object.assign(world.cluster, { touch: mortal(world.cluster.touch) });
  Object.assign(notes, { raise: mortal(notes.raise) });
}
