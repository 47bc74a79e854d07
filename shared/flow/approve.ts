import type { Plan } from '../handler.ts';
import { type Approval, type Click, isUndecided, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { type Decision, decided, refused, successor, whyNot } from './decision.ts';
import { approversOf, isOwnRequest, notAllowed, policyForPlan, policyId } from './permit.ts';
import { change } from './transition.ts';
import type { Policy, World } from './world.ts';

/** Counts an approval of one plan at the revision that was read. The one that fills the quorum approves the proposal. */
export async function approve(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const plan = item.found.offer.plans.find((one) => one.id === click.plan);
  const because = `${click.who} approved "${plan?.title}"${click.reason ? `: ${click.reason}` : ''}`;
  // A redelivered click gets the answer that it got before.
  if (item.approvals.some((one) => one.click === click.id)) return [decided(item.id, click, because)];
  const refusal = (await isCurrent(world, item)) ? await refusalOf(world, item, plan, click) : SUPERSEDED;
  if (refusal !== undefined || plan === undefined) {
    return refused(click, refusal ?? 'there is no such plan', await successor(world, item));
  }

  const policy = policyForPlan(world, item.found, plan);
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
  const { people } = await approversOf(world, policy, { ...item, approvals }, plan.id);
  const missing = policy.quorum - people.size;
  // Machines' clocks differ: that it has not expired is part of the write, by the one clock of the store.
  const unless = { expired: true };
  if (missing > 0) {
    const more = `${because}; ${missing} more must approve`;
    const set = { approvals };
    const changed = await change(world, row, { because: more, who: click.who, stage: 'approval', set, unless });
    return changed && [decided(item.id, click, more)];
  }
  const set = { approvals, plan: plan.id, decidedBy: click.id, dueAt: approval.at };
  const changed = await change(world, row, { state: 'approved', because, who: click.who, set, unless });
  return changed && [decided(item.id, click, because)];
}

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
  plan: Plan | undefined,
  click: Click,
): Promise<string | undefined> {
  if (!isUndecided(item.state)) return whyNot(world, item);
  if (world.clock.now().getTime() >= Date.parse(item.expiresAt)) return 'it has expired: diagnose it again';
  if (click.revision !== item.revision) return OTHER_REVISION;
  if (!plan) return `it offers no plan ${click.plan ?? '(none named)'}`;
  const cluster = world.known.get(item.cluster);
  if (!cluster) return 'Gleaner does not follow this cluster any more';
  if (cluster.does !== 'apply')
    return `Gleaner only observes ${cluster.name}: set "mode: apply" for it in gleaner.yaml`;
  const blocked = item.dryRuns[plan.id]?.find((run) => run.is === 'blocked');
  if (blocked?.is === 'blocked') return `the cluster would refuse it: ${blocked.because}`;
  return refusalOfPolicy(world, policyForPlan(world, item.found, plan), item, plan, click);
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
  const isSecond = people.has(world.rules.person(click.who));
  return isSecond ? 'you have approved it already: somebody else must, too' : undefined;
}
