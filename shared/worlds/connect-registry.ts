import type { Listed } from '../cli/connect.ts';
import { isRunning, isUndecided, type Registered } from '../model.ts';
import type { Row, Store } from '../ports/store.ts';

/** How often a row is written again that somebody else changed meanwhile: its watcher's heartbeats do. */
const TRIES = 5;

/** The row of a cluster. Throws where another cluster has the name: policies go by it. */
export async function rowOf(store: Store, id: string, name: string): Promise<Row<Registered> | undefined> {
  const rows = await store.list('cluster');
  const other = rows.find(({ item }) => item.name === name && item.id !== id);
  if (other)
    throw new Error(
      `${name} is cluster ${other.item.id} already, and this is ${id}: choose another name, or disconnect that one first`,
    );
  return rows.find(({ item }) => item.id === id);
}

/** Throws where a fix is under way on a cluster: what it needs would be taken from it half-way. */
export async function mustBeIdle(store: Store, { id, name }: Pick<Registered, 'id' | 'name'>): Promise<void> {
  const runs = (await store.current('proposal', { cluster: id })).filter(({ item }) => isRunning(item.state));
  const ids = runs.slice(0, 5).map(({ item }) => item.id);
  if (ids.length > 0)
    throw new Error(`A fix is under way on ${name} (${ids.join(', ')}): wait for its end, or say --force`);
}

/** What `gleaner connect` says of a cluster; what its watcher told stays. */
export type Said = Pick<Registered, 'id' | 'name' | 'flavour' | 'does' | 'kubeconfig'>;

/** What writing a row comes to. */
interface Change {
  readonly is: 'made' | 'changed' | 'same';
  readonly because: string;
}

/** Writes the row where it differs. */
export async function register(
  store: Store,
  said: Said,
  { who, now, isTrial }: { readonly who: string; readonly now: Date; readonly isTrial: boolean },
): Promise<Change> {
  const at = now.toISOString();
  for (let tried = 0; tried < TRIES; tried++) {
    const row = await store.get('cluster', said.id);
    const change = changeOf(row?.item, said);
    if (isTrial || change.is === 'same') return change;
    // Before the write: rather a line too many than a change that nobody reads of.
    if (tried === 0) await noted(store, at, { event: EVENTS[change.is], ...said, who });
    const before = row?.item ?? { schema: 1 as const, registeredAt: at };
    const put = await store.put('cluster', { ...before, ...said }, row?.version ?? 0);
    if (put.ok) return change;
  }
  throw new Error(`The row of ${said.name} is being changed all the time: run it again`);
}

const EVENTS = { made: 'cluster-connected', changed: 'cluster-changed' } as const;
const mays = (does: Registered['does']) => (does === 'apply' ? 'may apply what is approved' : 'observes only');

function changeOf(row: Registered | undefined, said: Said): Change {
  const because = `it ${mays(said.does)}`;
  if (!row) return { is: 'made', because };
  const differs = differences(row, said);
  return differs === '' ? { is: 'same', because } : { is: 'changed', because: differs };
}

function differences(row: Registered, said: Said): string {
  return [
    ...(row.name === said.name ? [] : [`it was called ${row.name}, and is ${said.name} now`]),
    ...(row.does === said.does ? [] : [`it ${mays(said.does)} from now on`]),
    ...(row.flavour === said.flavour ? [] : [`it was a ${row.flavour}, and is a ${said.flavour} now`]),
    ...(row.kubeconfig === said.kubeconfig ? [] : ['its kubeconfig is in another parameter']),
  ].join('; ');
}

/** Who may touch what is a decision like any other. */
export const noted = (store: Store, at: string, what: object): Promise<void> =>
  store.append({ at, kind: 'decision', text: JSON.stringify(what) });

/** Every registered cluster by its name, with what is open there. */
export async function listed(store: Store): Promise<readonly Listed[]> {
  const rows = (await store.list('cluster')).map(({ item }) => item);
  const all = await Promise.all(
    rows.map(async ({ schema: _schema, kubeconfig: _kubeconfig, ...row }): Promise<Listed> => {
      const states = (await store.current('proposal', { cluster: row.id })).map(({ item }) => item.state);
      return { ...row, waiting: states.filter(isUndecided).length, running: states.filter(isRunning).length };
    }),
  );
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}
