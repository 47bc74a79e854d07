import { milliseconds, type Risk } from '../handler.ts';
import { type Found, type Incident, isRunning, isUndecided, type Outgoing, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { proposalId } from './identity.ts';
import { change } from './transition.ts';
import type { Hop, Policy, World } from './world.ts';

/** A rejected plan may be shown again after this long, though nothing about it changed. */
const REJECTED_FOR = milliseconds('24h');

/** Keeps one record per incident and revision: opens it, supersedes the former one, withdraws what healed by itself. */
export const propose: Hop<'found' | 'cleared'> = async (world, event) => {
  const row = await world.store.get('incident', event.incident);
  if (!row || row.item.state === 'closed') return [];
  const current = row.item.proposal === undefined ? undefined : await world.store.get('proposal', row.item.proposal);
  return event.event === 'cleared' ? withdraw(world, row, current, event.because) : open(world, row, current, event);
};

type Revised = Pick<Proposal, 'incident' | 'revision' | 'found' | 'dryRuns'>;

async function open(world: World, incident: Row<Incident>, current: Row<Proposal> | undefined, revised: Revised) {
  if (current && isUndecided(current.item.state) && current.item.revision === revised.revision) {
    return [proposed(current.item.id)];
  }
  if (current && !mayFollow(world, current.item, revised.revision)) return [];

  const id = proposalId(incident.item.id, revised.revision, current?.item.id);
  const outgoing: Outgoing[] = [];
  if (current && isUndecided(current.item.state)) {
    const because = 'the cluster changed: a newer proposal took its place';
    if (!(await change(world, current, { state: 'superseded', because }))) throw lost(current.item.id);
    outgoing.push({ fact: { event: 'superseded', proposal: current.item.id, by: id } });
  }
  // A redelivery finds the proposal that it made before, and goes on from there.
  await world.store.put('proposal', opened(world, id, revised), 0);
  await putIncident(world, incident, { state: 'open', proposal: id });
  return [...outgoing, proposed(id)];
}

const proposed = (id: string): Outgoing => ({ fact: { event: 'proposed', proposal: id } });

async function putIncident(world: World, { item, version }: Row<Incident>, set: Partial<Incident>) {
  const put = await world.store.put('incident', { ...item, ...set }, version);
  if (!put.ok) throw new Error(`Incident ${item.id} was changed by somebody else at the same time`);
}

/** The proposal goes first: were the incident closed before it, a crash between the two would leave the card open. */
async function withdraw(
  world: World,
  incident: Row<Incident>,
  current: Row<Proposal> | undefined,
  because: string,
): Promise<Outgoing[]> {
  if (current && isRunning(current.item.state)) return [];
  const undecided = current !== undefined && isUndecided(current.item.state);
  if (undecided && !(await change(world, current, { state: 'withdrawn', because }))) throw lost(current.item.id);
  await putIncident(world, incident, { state: 'closed' });
  const told = undecided || current?.item.state === 'withdrawn';
  return current && told ? [{ fact: { event: 'withdrawn', proposal: current.item.id, because } }] : [];
}

const lost = (id: string) => new Error(`Proposal ${id} was decided while a newer one was about to take its place`);

/** Whether a proposal of this revision may come after the current one. Nothing reopens by itself what people have closed. */
function mayFollow(world: World, current: Proposal, revision: string): boolean {
  const differs = current.revision !== revision;
  switch (current.state) {
    case 'open':
    case 'snoozed':
      return differs;
    case 'approved':
    case 'applying':
    case 'applied':
      return false;
    case 'fixed':
    case 'reverted':
    case 'withdrawn':
    case 'superseded':
    case 'stale':
      return true;
    case 'rejected':
      return (
        differs ||
        current.again !== undefined ||
        world.clock.now().getTime() - Date.parse(current.changedAt) >= REJECTED_FOR
      );
    case 'expired':
    case 'failed':
    case 'unknown':
      return differs || current.again !== undefined;
  }
}

/** The highest risk among the plans of an offer: who may reject or silence it is decided by that. */
export function riskOf(found: Found): Risk {
  const risks = found.offer.plans.map((plan) => plan.risk);
  return risks.includes('high') ? 'high' : risks.includes('medium') ? 'medium' : 'low';
}

/** The policy for a proposal as a whole. */
export const policyOf = (world: World, found: Found): Policy =>
  world.rules.policy({ cluster: found.cluster, mode: found.mode, risk: riskOf(found) });

/** A new, open proposal. */
export function opened(world: World, id: string, { incident, revision, found, dryRuns }: Revised): Proposal {
  const now = world.clock.now();
  const policy = policyOf(world, found);
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const at = now.toISOString();
  return {
    ...{ schema: 1, id, incident, cluster: found.cluster, revision, state: 'open', found, dryRuns, openedAt: at },
    expiresAt: later(milliseconds(policy.expiry)),
    remindAt: later(milliseconds(policy.remind)),
    approvals: [],
    run: { steps: [], recovery: [] },
    changedAt: at,
    because: found.summary,
    timeline: [{ at, is: 'open', because: found.summary }],
  };
}
