import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../shared/audit.ts';
import type { Incident } from '../../shared/model.ts';
import type { Store } from '../../shared/ports/store.ts';

const incident = (id: string, cluster = 'c1'): Incident => ({
  ...{ schema: 1, id, cluster, mode: 'm', state: 'open', since: '2026-01-15T12:00:00.000Z' },
  subject: { apiVersion: 'v1', kind: 'Node', name: id },
});

/** What every store must do. `open` gives a fresh one. */
export function storeConformance(name: string, open: () => Promise<Store>): void {
  describe(`${name} as a store`, () => {
    it('gives back what was put, with its version', async () => {
      const store = await open();

      expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });

      expect(await store.get('incident', 'a')).toEqual({ item: incident('a'), version: 1 });
      expect(await store.get('incident', 'b')).toBeUndefined();
      expect(await store.get('proposal', 'a')).toBeUndefined();
    });

    it('creates an item only where there is none', async () => {
      const store = await open();
      await store.put('incident', incident('a'), 0);

      const second = await store.put('incident', { ...incident('a'), mode: 'other' }, 0);

      expect(second).toEqual({ ok: false, winner: { item: incident('a'), version: 1 } });
    });

    it('changes an item only at the version that was read, and gives the loser the winner', async () => {
      const store = await open();
      await store.put('incident', incident('a'), 0);

      const results = await Promise.all(
        Array.from({ length: 20 }, (_each, n) => store.put('incident', { ...incident('a'), mode: `m${n}` }, 1)),
      );

      const won = results.filter(({ ok }) => ok);
      expect(won).toEqual([{ ok: true, version: 2 }]);
      const stored = await store.get('incident', 'a');
      expect(results.filter(({ ok }) => !ok)).toEqual(
        Array.from({ length: 19 }, () => ({ ok: false, winner: stored })),
      );
    });

    it('changes nothing that is not there', async () => {
      const store = await open();

      expect(await store.put('incident', incident('a'), 3)).toEqual({ ok: false, winner: undefined });
      expect(await store.get('incident', 'a')).toBeUndefined();
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

    it('keeps texts of any kind as they are', async () => {
      const store = await open();
      const odd = { ...incident('a'), mode: 'ü "\\ \u0000 \u2028 <!channel> 🦆' };

      await store.put('incident', odd, 0);

      expect((await store.get('incident', 'a'))?.item).toEqual(odd);
    });

    it('appends to an audit log whose chain can be verified', async () => {
      const store = await open();

      await Promise.all(
        Array.from({ length: 50 }, (_each, n) =>
          store.append({ at: '2026-01-15T12:00:00.000Z', kind: 'touch', text: `line ${n}` }),
        ),
      );

      const lines = await store.audit(1, 1_000);
      expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_each, n) => n + 1));
      expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 50 });
      expect((await store.audit(21, 10)).map(({ sequence }) => sequence)).toEqual([
        21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
      ]);
    });
  });
}
