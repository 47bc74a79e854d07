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
  if (!row) return [];
  const current = row.item.proposal === undefined ? undefined : await world.store.get('proposal', row.item.proposal);
  const said =
    event.event === 'cleared'
      ? await withdraw(world, row, current, event.because)
      : await open(world, row, current, event);
  return [...(await endedSince(world, row.item, event.at)), ...said];
};

/** What made way since the event came is told with it, also where the process died between writing and telling. */
async function endedSince(world: World, { id }: Incident, since: string): Promise<Outgoing[]> {
  const by = (await world.store.get('incident', id))?.item.proposal ?? '';
  const outgoing: Outgoing[] = [];
  let item = (await world.store.get('proposal', by))?.item;
  // One that has not changed since was there before, and so what it follows had ended by then.
  while (item && item.changedAt >= since) {
    const { id: proposal, state, because, follows } = item;
    if (state === 'withdrawn') outgoing.push({ fact: { event: 'withdrawn', proposal, because } });
    if (state === 'superseded') outgoing.push({ fact: { event: 'superseded', proposal, by } });
    item = follows === undefined ? undefined : (await world.store.get('proposal', follows))?.item;
  }
  return outgoing;
}

/** `at` is when it was found. */
type Revised = Pick<Proposal, 'incident' | 'revision' | 'found' | 'dryRuns' | 'requester' | 'follows'> & {
  readonly at: string;
};

async function open(world: World, incident: Row<Incident>, current: Row<Proposal> | undefined, revised: Revised) {
  if (incident.item.state === 'closed') return [];
  if (current && !isNewer(current.item, revised)) {
    // A copy of what was found before: the process may have died before it told.
    const isThat = current.item.revision === revised.revision && isUndecided(current.item.state);
    return isThat ? [proposed(current.item.id)] : [];
  }
  if (!mayFollow(world, incident.item, current?.item, revised.revision)) return [];

  const id = proposalId(incident.item.id, revised.revision, current?.item.id);
  if (current && isUndecided(current.item.state)) {
    const because = 'the cluster changed: a newer proposal took its place';
    if (!(await change(world, current, { state: 'superseded', because }))) throw lost(current.item.id);
  }
  // A redelivery finds the proposal that it made before, and goes on from there.
  const next = { ...revised, ...requesterOf(revised, current?.item), ...(current && { follows: current.item.id }) };
  await world.store.put('proposal', opened(world, id, next), 0);
  await putIncident(world, incident, { state: 'open', proposal: id });
  return [proposed(id)];
}

/** Who asked for a proposal, also where another look than the one that was asked for came first. */
function requesterOf({ requester, revision }: Revised, current: Proposal | undefined): Pick<Proposal, 'requester'> {
  const asker = requester ?? (current?.revision === revision ? current.again : undefined);
  return asker === undefined ? {} : { requester: asker };
}

/** Whether it was found after the current proposal was, and is neither what that one was opened for nor what it says. */
function isNewer(current: Proposal, { at, revision }: Revised): boolean {
  if (revision !== current.revision) return at >= current.openedAt;
  return at > current.openedAt && !isUndecided(current.state);
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
  const isBack = incident.item.goneSince === undefined;
  if (incident.item.state === 'closed' || isBack || (current && isRunning(current.item.state))) return [];
  if (current && isUndecided(current.item.state)) {
    if (!(await change(world, current, { state: 'withdrawn', because }))) throw lost(current.item.id);
  }
  await putIncident(world, incident, { state: 'closed', closedAt: world.clock.now().toISOString() });
  return [];
}

const lost = (id: string) => new Error(`Proposal ${id} was decided while a newer one was about to take its place`);

/**
 * Whether a proposal of this revision may come after the current one. Nothing reopens by itself what people have closed,
 * but a fault that was gone and came back (`sighted`) is a new one.
 */
export function mayFollow(world: World, incident: Incident, current: Proposal | undefined, revision: string): boolean {
  if (!current) return true;
  const differs = current.revision !== revision;
  const isNew = incident.state === 'sighted';
  switch (current.state) {
    case 'open':
    case 'snoozed':
      // The undo of a run that failed waits beside the fault that the run has not mended.
      return differs && (isNew || current.undoes === undefined);
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
      return differs || isNew || current.again !== undefined;
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

/** No plan can be approved for longer than its own tier allows. */
const expiriesOf = ({ rules }: World, { cluster, mode, offer }: Found): number[] =>
  offer.plans.map(({ risk }) => milliseconds(rules.policy({ cluster, mode, risk }).expiry));

/** A new, open proposal. */
export function opened(world: World, id: string, { at: openedAt, ...revised }: Revised): Proposal {
  const { incident, revision, found, dryRuns, requester, follows } = revised;
  const now = world.clock.now();
  const policy = policyOf(world, found);
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const at = now.toISOString();
  return {
    ...{ schema: 1, id, incident, cluster: found.cluster, revision, state: 'open', found, dryRuns, openedAt },
    expiresAt: later(Math.min(milliseconds(policy.expiry), ...expiriesOf(world, found))),
    remindAt: later(milliseconds(policy.remind)),
    approvals: [],
    ...(requester && { requester }),
    ...(follows !== undefined && { follows }),
    run: { steps: [], recovery: [] },
    changedAt: at,
    because: found.summary,
    timeline: [{ at, is: 'open', because: found.summary }],
  };
}
