import type { Plan } from '../handler.ts';
import { type Approval, type Click, isUndecided, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { type Decision, decided, refused, whyNot } from './decision.ts';
import { countPeople, isApprover, notAllowed, policyForPlan } from './permit.ts';
import { change } from './transition.ts';
import { clusterOf, type Policy, type World } from './world.ts';

/** Counts an approval of one plan at the revision that was read. The one that fills the quorum approves the proposal. */
export async function approve(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const plan = item.found.offer.plans.find((one) => one.id === click.plan);
  const because = `${click.who} approved "${plan?.title}"${click.reason ? `: ${click.reason}` : ''}`;
  // A redelivered click gets the answer that it got before.
  if (item.approvals.some((one) => one.click === click.id)) return [decided(item.id, click, because)];
  const refusal = (await isCurrent(world, item)) ? refusalOf(world, item, plan, click) : SUPERSEDED;
  if (refusal !== undefined || plan === undefined) return refused(click, refusal ?? 'there is no such plan');

  const policy = policyForPlan(world, item.found, plan);
  const approval: Approval = {
    ...{ click: click.id, who: click.who, at: world.clock.now().toISOString(), plan: plan.id },
    ...(click.reason !== undefined && { reason: click.reason }),
  };
  const approvals = [...item.approvals, approval];
  const people = countPeople(
    world,
    policy,
    approvals.filter((one) => one.plan === plan.id),
  );
  const missing = policy.quorum - people;
  if (missing > 0) {
    const more = `${because}; ${missing} more must approve`;
    const changed = await change(world, row, { because: more, who: click.who, stage: 'approval', set: { approvals } });
    return changed && [decided(item.id, click, more)];
  }
  const set = { approvals, plan: plan.id, decidedBy: click.id, dueAt: approval.at };
  const changed = await change(world, row, { state: 'approved', because, who: click.who, set });
  return changed && [decided(item.id, click, because)];
}

export const SUPERSEDED = 'a newer proposal took its place: read that one';

/** Whether its incident still names this proposal: a crash while a newer one was opened leaves one that it does not. */
export async function isCurrent(world: World, { incident, id }: Proposal): Promise<boolean> {
  return (await world.store.get('incident', incident))?.item.proposal === id;
}

/** Why this approval does not count, in the words that the clicker is told; undefined when it does. */
function refusalOf(world: World, item: Proposal, plan: Plan | undefined, click: Click): string | undefined {
  if (!isUndecided(item.state)) return whyNot(world, item);
  if (world.clock.now().getTime() >= Date.parse(item.expiresAt)) return 'it has expired: diagnose it again';
  if (click.revision !== item.revision) return 'it is not the revision that you read: read it again';
  if (!plan) return `it offers no plan ${click.plan ?? '(none named)'}`;
  const cluster = clusterOf(world, item.cluster);
  if (cluster.does === 'observe')
    return `Gleaner only observes ${cluster.name}: set "mode: apply" for it in gleaner.yaml`;
  const blocked = item.dryRuns[plan.id]?.find((run) => run.is === 'blocked');
  if (blocked?.is === 'blocked') return `the cluster would refuse it: ${blocked.because}`;
  return refusalOfPolicy(world, policyForPlan(world, item.found, plan), item, plan, click);
}

function refusalOfPolicy(world: World, policy: Policy, item: Proposal, plan: Plan, click: Click): string | undefined {
  if (!isApprover(world, policy, click.who)) return notAllowed(policy, click.who);
  if (policy.reasonRequired && !click.reason?.trim()) return 'say why: the policy asks for a reason';
  const person = world.rules.person(click.who);
  const before = item.approvals.some((one) => one.plan === plan.id && world.rules.person(one.who) === person);
  return before ? 'you have approved it already: somebody else must, too' : undefined;
}
