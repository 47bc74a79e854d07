import type { Registered } from '../../model.ts';
import type { KnownCluster } from '../../ports/cluster.ts';
import type { Base } from './base.ts';

/** A cluster that was connected, renamed or told to observe only counts as that everywhere after so many milliseconds. */
const KEPT = 30_000;

/** Every registered cluster by its id, as it was half a minute ago or later. */
export function registry({ store, machine }: Pick<Base, 'store' | 'machine'>) {
  let kept: { readonly rows: Promise<ReadonlyMap<string, Registered>>; readonly at: number } | undefined;

  async function read(): Promise<ReadonlyMap<string, Registered>> {
    const rows = await store.list('cluster');
    return new Map(rows.map(({ item }) => [item.id, item]));
  }

  return async (): Promise<ReadonlyMap<string, Registered>> => {
    const now = machine.now().getTime();
    if (kept && now - kept.at <= KEPT) return kept.rows;
    const mine = { rows: read(), at: now };
    kept = mine;
    try {
      return await mine.rows;
    } catch (error) {
      if (kept === mine) kept = undefined;
      throw error;
    }
  };
}

export const knownOf = (registered: ReadonlyMap<string, Registered>): ReadonlyMap<string, KnownCluster> =>
  new Map([...registered].map(([id, { name, flavour, does }]) => [id, { id, name, flavour, does }]));
