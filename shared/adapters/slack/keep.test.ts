import { describe, expect, it } from 'vitest';
import type { Click, Outgoing } from '../../model.ts';
import type { Store } from '../../ports/store.ts';
import { manualClock } from '../clock/manual.ts';
import { openDatabase } from '../sqlite/database.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { idOfClick, keepClick } from './keep.ts';

const CLICK: Click = { id: 'c1', who: 'slack:U1', choice: 'approve', proposal: 'p1', revision: 'r1' };
const NEVER = new Promise<never>(() => {});

function bed(changes: { store?: Partial<Store>; publish?: () => Promise<void> } = {}) {
  const clock = manualClock('2026-01-15T12:00:00Z');
  const store = { ...sqliteStore(openDatabase(':memory:')), ...changes.store };
  const published: Outgoing[] = [];
  const warnings: string[] = [];
  const publish = async (outgoing: readonly Outgoing[]) => {
    await changes.publish?.();
    published.push(...outgoing);
  };
  const parts = { clock, store, bus: { publish }, warn: (because: string) => void warnings.push(because) };
  return { clock, store, published, warnings, keep: () => keepClick(parts, CLICK) };
}

describe('A click', () => {
  it('is published before its receipt is written: a death between the two loses nothing', async () => {
    const order: string[] = [];
    const { keep, published } = bed({
      publish: async () => void order.push('published'),
      store: {
        put: () => {
          order.push('receipt');
          return Promise.reject(new Error('killed'));
        },
      },
    });

    expect(await keep()).toEqual({ ok: true });

    expect(order).toEqual(['published', 'receipt']);
    expect(published.map(({ fact }) => fact.event)).toEqual(['clicked', 'waited']);
  });

  it('that has its receipt is not published again', async () => {
    const { keep, published } = bed();

    await keep();
    await keep();

    expect(published).toHaveLength(2);
  });

  it('keeps the answer that `decide` wrote in the meantime', async () => {
    const store = sqliteStore(openDatabase(':memory:'));
    const answer = { ok: true, because: 'approved' };
    const { keep } = bed({
      store,
      publish: async () =>
        void (await store.put('receipt', { schema: 1, id: 'c1', at: '2026-01-15T12:00:00.000Z', answer }, 0)),
    });

    expect(await keep()).toEqual({ ok: true });

    expect((await store.get('receipt', 'c1'))?.item.answer).toEqual(answer);
  });

  it('that the bus does not take in 1.7 s is not said to be kept, nor lost', async () => {
    const { clock, keep, warnings } = bed({ publish: () => NEVER });
    const kept = keep();
    clock.advance(1_699);
    await Promise.resolve();
    clock.advance(1);

    expect(await kept).toEqual({ ok: false, because: expect.stringContaining('may not be kept') });
    expect(warnings).toEqual(['a click was not kept: it took more than 1700 ms']);
  });

  it('that is published while its receipt hangs is kept', async () => {
    const reached = Promise.withResolvers<void>();
    const { clock, keep } = bed({
      store: {
        put: () => {
          reached.resolve();
          return NEVER;
        },
      },
    });
    const kept = keep();
    await reached.promise;
    clock.advance(1_700);

    expect(await kept).toEqual({ ok: true });
  });

  it('whose receipt cannot be looked for is not published: it may be a copy', async () => {
    const { keep, published } = bed({ store: { get: () => Promise.reject(new Error('the disk is gone')) } });

    expect(await keep()).toEqual({ ok: false, because: expect.stringContaining('nothing was decided') });
    expect(published).toEqual([]);
  });

  it('has an id of all that makes it one', () => {
    expect(idOfClick('T1', 'slack:U1', 't', 'v')).toBe(idOfClick('T1', 'slack:U1', 't', 'v'));
    expect(idOfClick('T1', 'slack:U1', 't', 'v')).not.toBe(idOfClick('T1', 'slack:U1', 'tv', ''));
  });
});
