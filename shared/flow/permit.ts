import type { Plan } from '../handler.ts';
import type { Approval, Found, Principal } from '../model.ts';
import type { Policy, World } from './world.ts';

/** The policy for one plan of a proposal. */
export const policyForPlan = (world: World, found: Found, plan: Plan): Policy =>
  world.rules.policy({ cluster: found.cluster, mode: found.mode, risk: plan.risk });

/** Whether a principal, or another principal of the same person, is named among the approvers. */
export function isApprover(world: World, policy: Policy, who: Principal): boolean {
  const person = world.rules.person(who);
  return policy.approvers.some((approver) => approver === who || world.rules.person(approver) === person);
}

/** How many distinct people among the approvals may approve by the policy in force now. */
export function countPeople(world: World, policy: Policy, approvals: readonly Approval[]): number {
  const allowed = approvals.filter(({ who }) => isApprover(world, policy, who));
  return new Set(allowed.map(({ who }) => world.rules.person(who))).size;
}

/** Why a principal may not decide, in the words that it is told. */
export function notAllowed(policy: Policy, who: Principal): string {
  return policy.approvers.length === 0
    ? `nobody may decide this: gleaner.yaml names no approver for it`
    : `${who} may not decide this: it is for ${policy.approvers.join(', ')}`;
}
