import type { Plan } from '../handler.ts';
import { type Approval, type Click, isUndecided, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { type Decision, decided, refused, successor, whyNot } from './decision.ts';
import { revisionOf } from './identity.ts';
import { approversOf, isOwnRequest, notAllowed, policyForPlan, policyId } from './permit.ts';
import { decisionOn } from './signed.ts';
import { change } from './transition.ts';
import type { Policy, World } from './world.ts';

/** Counts an approval of one plan at the revision that was read. The one that fills the quorum approves the proposal. */
export async function approve(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const plan = item.found.offer.plans.find((one) => one.id === click.plan);
  const because = `${click.who} approved "${plan?.title}"${click.reason ? `: ${click.reason}` : ''}`;
  // A redelivered click gets the answer that it got before.
  if (item.approvals.some((one) => one.click === click.id)) return [decided(item.id, click, because)];
  // Read once: the configuration may change while it is asked who somebody is.
  const policy = plan && policyForPlan(world, item.found, plan);
  const refusal = (await isCurrent(world, item)) ? await refusalOf(world, item, { plan, policy }, click) : SUPERSEDED;
  if (refusal !== undefined || !plan || !policy) {
    return refused(click, refusal ?? 'there is no such plan', await successor(world, item));
  }

  const approval: Approval = {
    ...{
      click: click.id,
      who: click.who,
      at: world.clock.now().toISOString(),
      plan: plan.id,
      policy: policyId(policy),
    },
    ...(click.reason !== undefined && { reason: click.reason }),
  };
  const approvals = [...item.approvals, approval];
  const { people, doubts } = await approversOf(world, policy, { ...item, approvals }, plan.id);
  const missing = policy.quorum - people.size;
  // Machines' clocks differ: that it has not expired is part of the write, by the one clock of the store.
  const unless = { expired: true };
  if (missing > 0) {
    const doubt =
      doubts > 0 ? `: of ${doubts} who approved before it cannot be found out now whether they still may` : '';
    const more = `${because}; ${missing} more must approve${doubt}`;
    const set = { approvals };
    const changed = await change(world, row, { because: more, who: click.who, stage: 'approval', set, unless });
    return changed ? [decided(item.id, click, more)] : overtaken(world, row, click);
  }
  const decision = await decisionOn(world, { ...item, approvals, plan: plan.id }, approval.at);
  const set = { approvals, plan: plan.id, decision, decidedBy: click.id, dueAt: approval.at };
  const changed = await change(world, row, { state: 'approved', because, who: click.who, set, unless });
  return changed ? [decided(item.id, click, because)] : overtaken(world, row, click);
}

/** Somebody was faster, which is looked at anew; or nobody was, and the store's clock says that the time is over. */
async function overtaken(world: World, { item, version }: Row<Proposal>, click: Click): Promise<Decision> {
  const now = await world.store.get('proposal', item.id);
  return now?.version === version ? refused(click, EXPIRED) : undefined;
}

const EXPIRED = 'it has expired: diagnose it again';
const CHANGED = 'its record was changed: what it shows is not what its revision was made of; diagnose it again';

export const OTHER_REVISION = 'it is not the revision that you read: read it again';
export const SUPERSEDED = 'a newer proposal took its place: read that one';

/** Whether its incident still names this proposal: a crash while a newer one was opened leaves one that it does not. */
export async function isCurrent(world: World, { incident, id }: Proposal): Promise<boolean> {
  return (await world.store.get('incident', incident))?.item.proposal === id;
}

/** Why this approval does not count, in the words that the clicker is told; undefined when it does. */
async function refusalOf(
  world: World,
  item: Proposal,
  { plan, policy }: { plan: Plan | undefined; policy: Policy | undefined },
  click: Click,
): Promise<string | undefined> {
  if (!isUndecided(item.state)) return whyNot(world, item);
  if (world.clock.now().getTime() >= Date.parse(item.expiresAt)) return EXPIRED;
  if (click.revision !== item.revision) return OTHER_REVISION;
  // What is shown is the content, and what is approved the revision: a record that was changed could tell them apart.
  if (revisionOf(item.found.finding, item.found.offer) !== item.revision) return CHANGED;
  if (!plan || !policy) return `it offers no plan ${click.plan ?? '(none named)'}`;
  const cluster = world.known.get(item.cluster);
  if (!cluster) return 'Gleaner does not follow this cluster any more';
  if (cluster.does !== 'apply')
    return `Gleaner only observes ${cluster.name}: set "mode: apply" for it in gleaner.yaml`;
  const blocked = item.dryRuns[plan.id]?.find((run) => run.is === 'blocked');
  if (blocked?.is === 'blocked') return `the cluster would refuse it: ${blocked.because}`;
  return refusalOfPolicy(world, policy, item, plan, click);
}

async function refusalOfPolicy(
  world: World,
  policy: Policy,
  item: Proposal,
  plan: Plan,
  click: Click,
): Promise<string | undefined> {
  const refusal = await notAllowed(world, policy, click.who, click.from);
  if (refusal !== undefined) return refusal.because;
  if (isOwnRequest(world, policy, item, click.who)) return 'you asked for it: somebody else must approve it';
  if (policy.reasonRequired && !click.reason?.trim()) return 'say why: the policy asks for a reason';
  const { people } = await approversOf(world, policy, item, plan.id);
  // Where enough have approved by now, as when one is an approver again, anybody's click says so.
  const isSecond = people.size < policy.quorum && people.has(world.rules.person(click.who));
  return isSecond ? 'you have approved it already: somebody else must, too' : undefined;
}
