import { isDeepStrictEqual } from 'node:util';
import type { Fact, Proposal } from '../../model.ts';
import type { RelayTable, RelayWrite } from '../../ports/relay.ts';
import type { Row, Store } from '../../ports/store.ts';

/** What a guard knows of an edge: whose it is, and how to ask who owns what. */
export interface Guarded {
  readonly cluster: string;
  readonly store: Pick<Store, 'get'>;
  /** The id that an incident of a mode and subject has. */
  readonly incidentId: (cluster: string, mode: string, subject: RelayIncident['subject']) => string;
}
type RelayIncident = Extract<RelayWrite, { table: 'incident' }>['item'];

/** Of what a run changes on its proposal. All else is of who decides, and of who opened it. */
const OF_RUNS = [
  'state',
  'run',
  'dueAt',
  'holdsSince',
  'verdict',
  'changedAt',
  'because',
  'timeline',
  'decidedBy',
] as const;
/** How a run changes a proposal's state. What is undecided stays so: an edge neither approves nor rejects. */
const BY_RUNS: Readonly<Partial<Record<Proposal['state'], readonly Proposal['state'][]>>> = {
  approved: ['applying', 'stale', 'failed'],
  applying: ['applying', 'applied', 'failed', 'unknown'],
  applied: ['applied', 'fixed', 'failed'],
  fixed: ['fixed', 'reverted'],
  failed: ['failed'],
  unknown: ['unknown'],
};

/** Whether an item of a table is the cluster's own. */
export function isOwn(cluster: string, table: RelayTable, item: object): boolean {
  const { id, cluster: of } = Object(item);
  switch (table) {
    case 'proposal':
    case 'incident':
    case 'image':
    case 'silence':
      return of === cluster;
    case 'switch':
      return id === cluster;
    case 'lastGood':
      return String(id).startsWith(`${cluster}/`);
    case 'receipt':
      // Those of clicks alone: others prove that something was shown to somebody, or that a request was taken.
      return !/[\s:]/.test(String(id));
  }
}

/** Why an edge may not write an item; undefined: it may. `current` is what stands there. */
export async function whyNotWrite(
  { cluster, store, incidentId }: Guarded,
  { table, item }: RelayWrite,
  current: Row<object> | undefined,
): Promise<string | undefined> {
  if (!isOwn(cluster, table, item) || (current && !isOwn(cluster, table, current.item)))
    return `this ${table} is not of this cluster`;
  switch (table) {
    case 'proposal': {
      const before = current && (await store.get('proposal', item.id))?.item;
      return before ? whyNotRun(before, item) : whyNotOpen(item);
    }
    case 'incident':
      return whyNotIncident({ cluster, store, incidentId }, item);
    case 'image': {
      const isOf = item.id.startsWith(`${item.proposal}/`) && (await owns(store, cluster, item.proposal));
      return isOf ? undefined : 'an image is of a proposal of this cluster';
    }
    case 'lastGood':
    case 'receipt':
      return undefined;
  }
}

async function whyNotIncident(
  { cluster, store, incidentId }: Guarded,
  item: RelayIncident,
): Promise<string | undefined> {
  if (item.id !== incidentId(cluster, item.mode, item.subject)) return 'an incident has the id of its subject';
  const isOf = item.proposal === undefined || (await owns(store, cluster, item.proposal));
  return isOf ? undefined : 'it names a proposal that is not of this cluster';
}

const owns = async (store: Guarded['store'], cluster: string, proposal: string) =>
  (await store.get('proposal', proposal))?.item.cluster === cluster;

/** An edge opens undos, of which nothing is decided yet. */
function whyNotOpen({ state, undoes, approvals, decision, plan, decidedBy, run }: Proposal): string | undefined {
  const isUndecided = approvals.length === 0 && decision === undefined && plan === undefined && decidedBy === undefined;
  const isFresh = state === 'open' && run.steps.length === 0 && run.recovery.length === 0;
  return isUndecided && isFresh && undoes !== undefined ? undefined : 'an edge opens undos alone, and decides nothing';
}

function whyNotRun(before: Proposal, after: Proposal): string | undefined {
  if (!BY_RUNS[before.state]?.includes(after.state))
    return `a run does not lead from ${before.state} to ${after.state}: that is for who decides`;
  const [kept, wanted] = [withoutRun(before), withoutRun(after)];
  return isDeepStrictEqual(kept, wanted) ? undefined : 'a run changes its own progress alone, and not what was decided';
}

function withoutRun(item: Proposal): object {
  const left: Record<string, unknown> = JSON.parse(JSON.stringify(item));
  for (const field of OF_RUNS) delete left[field];
  return left;
}

/** Why an edge may not tell a fact; undefined: it may. What hops without a cluster say is not for it to say. */
export async function whyNotTell({ cluster, store, incidentId }: Guarded, fact: Fact): Promise<string | undefined> {
  switch (fact.event) {
    case 'observed':
      return fact.cluster === cluster ? undefined : 'it is about another cluster';
    case 'found': {
      const { cluster: of, mode, subject } = fact.found;
      const isOf = of === cluster && fact.incident === incidentId(cluster, mode, subject);
      return isOf ? undefined : 'it is about an incident of another cluster';
    }
    case 'cleared':
      return (await store.get('incident', fact.incident))?.item.cluster === cluster
        ? undefined
        : 'its incident is not of this cluster';
    case 'decided':
    case 'proposed':
    case 'applying':
    case 'applied':
    case 'stale':
    case 'failed':
    case 'unknown':
    case 'verifying':
    case 'fixed':
    case 'reverted':
      return (await owns(store, cluster, fact.proposal)) ? undefined : 'its proposal is not of this cluster';
    case 'answered':
    case 'refused':
      return undefined;
    default:
      return `an edge does not tell ${fact.event}`;
  }
}
