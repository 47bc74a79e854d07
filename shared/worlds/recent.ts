import { milliseconds } from '../handler.ts';
import type { Proposal } from '../model.ts';
import type { Store } from '../ports/store.ts';

/** For how long what is over is listed; by its whole id it is found for longer. */
const CLOSED_FOR = milliseconds('7d');

/** The current proposal of every incident that is not over, or is for a week at most, or has something to decide or running. */
export async function recentProposals(store: Store, now: Date): Promise<Proposal[]> {
  const overSince = new Date(now.getTime() - CLOSED_FOR).toISOString();
  const [incidents, open] = await Promise.all([store.current('incident', { overSince }), store.current('proposal')]);
  const listed = new Set(incidents.map(({ item }) => item.id));
  // The undo of a run may wait on an incident that was over long ago.
  const unlisted = open.filter(({ item }) => !listed.has(item.incident));
  const older = await Promise.all(unlisted.map(({ item }) => store.get('incident', item.incident)));
  const ids = new Set([...incidents, ...older].flatMap((row) => row?.item.proposal ?? []));
  const read = new Map(open.map((row) => [row.item.id, row]));
  const rows = await Promise.all([...ids].map((id) => read.get(id) ?? store.get('proposal', id)));
  return rows.flatMap((row) => (row ? [row.item] : []));
}
