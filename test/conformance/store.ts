import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../shared/audit.ts';
import { type Incident, ProposalState, type Switch } from '../../shared/model.ts';
import type { Row, Store } from '../../shared/ports/store.ts';
import { paintWorld } from '../simulator/paint.ts';

const AT = '2026-01-15T12:00:00.000Z';

const incident = (id: string, cluster = 'c1'): Incident => ({
  ...{ schema: 1, id, cluster, mode: 'm', state: 'open', since: AT },
  subject: { apiVersion: 'v1', kind: 'Node', name: id },
});

/** A proposal as the flow opens one, in this store. */
async function paintedProposal(store: Store): Promise<string> {
  return paintWorld(undefined, { store }).proposed();
}

/** What every store must do. `open` gives a fresh one. */
export function storeConformance(name: string, open: () => Promise<Store>): void {
  describe(`${name} as a store`, () => {
    keepsItems(open);
    tellsWhatIsCurrent(open);
    letsOneWin(open);
    appends(open);
  });
}

function keepsItems(open: () => Promise<Store>): void {
  it('gives back what was put, with its version', async () => {
    const store = await open();

    expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });

    expect(await store.get('incident', 'a')).toEqual({ item: incident('a'), version: 1 });
    expect(await store.get('incident', 'b')).toBeUndefined();
    expect(await store.get('proposal', 'a')).toBeUndefined();
  });

  it('writes an approval only while the proposal has not expired', async () => {
    const store = await open();
    const proposal = Object((await store.get('proposal', await paintedProposal(store)))?.item);
    const expiring = async (expiresAt: string) => {
      await store.put('proposal', { ...proposal, id: expiresAt, expiresAt }, 0);
      return store.put('proposal', { ...proposal, id: expiresAt, expiresAt, state: 'approved' }, 1, { expired: true });
    };

    expect(await expiring('2999-01-01T00:00:00.000Z')).toEqual({ ok: true, version: 2 });
    expect(await expiring('2001-01-01T00:00:00.000Z')).toMatchObject({
      ok: false,
      winner: { item: { state: 'open' } },
    });
  });

  it('keeps items of one id in two tables apart', async () => {
    const store = await open();
    const flipped: Switch = { schema: 1, id: 'a', stopped: true, who: 'local:ann', at: AT };

    await store.put('incident', incident('a'), 0);
    await store.put('switch', flipped, 0);

    expect(await store.get('incident', 'a')).toEqual({ item: incident('a'), version: 1 });
    expect(await store.list('switch')).toEqual([{ item: flipped, version: 1 }]);
  });

  it('lists a table, or one cluster of it', async () => {
    const store = await open();
    for (const [id, cluster] of [
      ['a', 'c1'],
      ['b', 'c2'],
      ['c', 'c1'],
    ] as const) {
      await store.put('incident', incident(id, cluster), 0);
    }

    const ids = async (cluster?: string) =>
      (await store.list('incident', cluster === undefined ? {} : { cluster })).map(({ item }) => item.id).sort();

    expect(await ids()).toEqual(['a', 'b', 'c']);
    expect(await ids('c1')).toEqual(['a', 'c']);
    expect(await ids('none')).toEqual([]);
  });

  it('lists more than one page of a service would hold', async () => {
    const store = await open();
    // Of random digits, which no compression makes small.
    const wide = randomBytes(8_000).toString('hex');
    for (let n = 0; n < 150; n++) await store.put('incident', { ...incident(`${n}`), mode: `${n} ${wide}` }, 0);

    const rows = await store.list('incident', { cluster: 'c1' });
    expect(new Set(rows.map(({ item }) => item.mode)).size).toBe(150);
    expect(await store.list('incident', { cluster: 'c2' })).toEqual([]);
  });

  it('narrows no table whose items have no cluster to one', async () => {
    const store = await open();
    await store.put('switch', { schema: 1, id: 'c1', stopped: true, who: 'local:ann', at: AT }, 0);
    await store.put('lane', { schema: 1, id: 'c1', nextAt: AT, isUnheard: false, waiting: [] }, 0);

    for (const table of ['switch', 'lane'] as const) {
      expect(await store.list(table)).toHaveLength(1);
      expect(await store.list(table, { cluster: 'c1' })).toEqual([]);
    }
  });

  it('lists what every cluster has, in the order of the ids', async () => {
    const store = await open();
    const ids = Array.from({ length: 30 }, (_each, n) => `i${(n * 7) % 30}`.padEnd(4, '-'));
    for (const id of ids) await store.put('incident', incident(id, `c${id}`), 0);

    expect((await store.list('incident')).map(({ item }) => item.id)).toEqual(ids.sort());
  });

  it('keeps texts of any kind as they are', async () => {
    const store = await open();
    const odd = { ...incident('ü/"\\ 🦆'), mode: 'ü "\\ \u0000 \u2028 <!channel> 🦆' };

    await store.put('incident', odd, 0);

    expect((await store.get('incident', odd.id))?.item).toEqual(odd);
  });

  it('does as a list of versions on paper does, whatever is put', async () => {
    const Put = fc.record({ id: fc.constantFrom('a', 'b'), mode: fc.string(), version: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(Put, { maxLength: 20 }), async (puts) => {
        const [store, paper] = [await open(), new Map<string, Row<Incident>>()];
        for (const { id, mode, version } of puts) {
          const [item, stands] = [{ ...incident(id), mode }, paper.get(id)];
          const wins = (stands?.version ?? 0) === version;
          if (wins) paper.set(id, { item, version: version + 1 });

          const said = await store.put('incident', item, version);

          expect(said).toEqual(wins ? { ok: true, version: version + 1 } : { ok: false, winner: stands });
        }
        const rows = await store.list('incident');
        expect(new Map(rows.map((row) => [row.item.id, row]))).toEqual(paper);
      }),
      { numRuns: 30 },
    );
  });
}

function tellsWhatIsCurrent(open: () => Promise<Store>): void {
  const closed = (id: string, closedAt: string, cluster = 'c1'): Incident => ({
    ...incident(id, cluster),
    ...{ state: 'closed', closedAt },
  });
  const later = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();

  it('lists what is not over, of all clusters or of one, in the order of the ids', async () => {
    const store = await open();
    for (const [id, cluster] of [
      ['d', 'c1'],
      ['a', 'c2'],
      ['c', 'c1'],
    ] as const)
      await store.put('incident', incident(id, cluster), 0);
    await store.put('incident', closed('b', AT), 0);
    await store.put('incident', closed('c', AT), 1);

    const ids = async (cluster?: string) =>
      (await store.current('incident', cluster === undefined ? {} : { cluster })).map(({ item }) => item.id);

    expect(await ids()).toEqual(['a', 'd']);
    expect(await ids('c1')).toEqual(['d']);
    expect(await ids('none')).toEqual([]);
    expect(await store.current('proposal')).toEqual([]);
    expect(await store.current('incident', { cluster: 'c2' })).toEqual([{ item: incident('a', 'c2'), version: 1 }]);
  });

  it('lists on request also what was over at a time or later', async () => {
    const store = await open();
    await store.put('incident', incident('open'), 0);
    for (const [id, ms] of [
      ['before', -1],
      ['then', 0],
      ['after', 1],
    ] as const)
      await store.put('incident', closed(id, later(ms)), 0);
    await store.put('incident', closed('there', AT, 'c2'), 0);

    const ids = async (where: { cluster?: string; overSince?: string }) =>
      (await store.current('incident', where)).map(({ item }) => item.id);

    expect(await ids({ overSince: AT })).toEqual(['after', 'open', 'then', 'there']);
    expect(await ids({ overSince: AT, cluster: 'c1' })).toEqual(['after', 'open', 'then']);
  });

  it('lists again what was over and has begun anew, once', async () => {
    const store = await open();
    await store.put('incident', incident('a'), 0);
    await store.put('incident', closed('a', AT), 1);
    await store.put('incident', incident('a'), 2);

    expect(await store.current('incident')).toEqual([{ item: incident('a'), version: 3 }]);
    expect(await store.current('incident', { overSince: AT })).toEqual([{ item: incident('a'), version: 3 }]);
  });

  it('knows of a proposal in each of its states whether it is over', async () => {
    const store = await open();
    const id = await paintedProposal(store);
    const proposal = Object((await store.get('proposal', id))?.item);
    let version = (await store.get('proposal', id))?.version ?? 0;
    for (const state of ProposalState.options) {
      await store.put('proposal', { ...proposal, state }, version++);
      const isListed = (await store.current('proposal', { cluster: proposal.cluster })).length === 1;
      expect(isListed, state).toBe(['open', 'snoozed', 'approved', 'applying', 'applied'].includes(state));
    }
  });

  it('lists the same as all items would tell, whatever begins and ends', async () => {
    const Put = fc.record({ id: fc.constantFrom('a', 'b'), isOver: fc.boolean(), ms: fc.nat(3), isLate: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(Put, { maxLength: 25 }), async (puts) => {
        const store = await open();
        for (const { id, isOver, ms, isLate } of puts) {
          const version = Math.max(0, ((await store.get('incident', id))?.version ?? 0) - (isLate ? 1 : 0));
          await store.put('incident', isOver ? closed(id, later(ms)) : incident(id), version);
        }
        const all = await store.list('incident');
        expect(await store.current('incident')).toEqual(all.filter(({ item }) => item.state !== 'closed'));
        expect(await store.current('incident', { overSince: later(2) })).toEqual(
          all.filter(({ item: { closedAt } }) => closedAt === undefined || closedAt >= later(2)),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('keeps whatever is not over, and what that names, from being removed', async () => {
    const store = await open();
    const id = await paintedProposal(store);
    const { incident: of } = (await store.get('proposal', id))?.item ?? { incident: 'none' };
    const row = await store.get('proposal', id);
    if (!row) throw new Error('nothing was proposed');
    await store.put('proposal', { ...row.item, state: 'rejected', changedAt: AT }, row.version);

    await store.prune({ closed: later(1), received: later(1) });

    expect((await store.get('incident', of))?.item.proposal).toBe(id);
    expect((await store.get('proposal', id))?.item.state).toBe('rejected');
  });
}

function letsOneWin(open: () => Promise<Store>): void {
  const twenty = <T>(act: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_each, n) => act(n)));

  it('creates an item only where there is none', async () => {
    const store = await open();

    const results = await twenty((n) => store.put('incident', { ...incident('a'), mode: `m${n}` }, 0));

    expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, version: 1 }]);
    const winner = await store.get('incident', 'a');
    expect(results.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 19 }, () => ({ ok: false, winner })));
  });

  it('changes an item only at the version that was read, and gives the loser the winner', async () => {
    const store = await open();
    await store.put('incident', incident('a'), 0);

    const results = await twenty((n) => store.put('incident', { ...incident('a'), mode: `m${n}` }, 1));

    expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, version: 2 }]);
    const winner = await store.get('incident', 'a');
    expect(results.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 19 }, () => ({ ok: false, winner })));
  });

  it('changes nothing that is not there', async () => {
    const store = await open();

    expect(await store.put('incident', incident('a'), 3)).toEqual({ ok: false, winner: undefined });
    expect(await store.get('incident', 'a')).toBeUndefined();
  });
}

function appends(open: () => Promise<Store>): void {
  const line = (text: string) => ({ at: AT, kind: 'touch', text });

  it('appends to an audit log whose chain can be verified, as a whole and page by page', async () => {
    const store = await open();

    await Promise.all(Array.from({ length: 50 }, (_each, n) => store.append(line(`line ${n}`))));

    const lines = await store.audit(1, 1_000);
    expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_each, n) => n + 1));
    expect(new Set(lines.map(({ text }) => text)).size).toBe(50);
    expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 50 });
    const page = await store.audit(21, 10);
    expect(page).toEqual(lines.slice(20, 30));
    expect(verifyChain(page, { after: lines[19] ?? { sequence: 0, hash: '' } })).toMatchObject({ ok: true, lines: 30 });
  });

  it('keeps lines of any text so that they verify', async () => {
    const store = await open();
    const texts = ['', 'ü "\\ \u0000 \u2028 🦆', '{"a":1}', 'x'.repeat(100_000), 'half a duck: \ud83e'];

    for (const text of texts) await store.append(line(text));

    const lines = await store.audit(1, 10);
    expect(lines.map(({ text }) => text)).toEqual(texts.map((text) => text.toWellFormed()));
    expect(verifyChain(lines)).toMatchObject({ ok: true, lines: texts.length });
  });

  it('gives lines that show when one of them was changed, or is not there', async () => {
    const store = await open();
    for (const text of ['one', 'two', 'three', 'four']) await store.append(line(text));
    const lines = await store.audit(1, 10);

    const forged = lines.map((one) => (one.sequence === 3 ? { ...one, text: 'none' } : one));

    expect(verifyChain(forged)).toMatchObject({ ok: false, sequence: 3 });
    expect(verifyChain(lines.filter(({ sequence }) => sequence !== 2))).toMatchObject({ ok: false, sequence: 2 });
  });
}
