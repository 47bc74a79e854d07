import type { Plan } from '../handler.ts';
import type { Approval, Click, Found, From, Principal, Proposal } from '../model.ts';
import type { Says } from '../ports/directory.ts';
import { digestOf } from './identity.ts';
import type { Policy, World } from './world.ts';

/** The policy for one plan of a proposal. */
export const policyForPlan = (world: World, found: Found, plan: Plan): Policy =>
  world.rules.policy({ cluster: found.cluster, mode: found.mode, risk: plan.risk });

/** What of a policy an approval was given under; where cards go and how long they wait is no part of it. */
export const policyId = ({ approvers, quorum, reasonRequired, requesterMayApprove }: Policy): string =>
  digestOf({ approvers, quorum, reasonRequired, requesterMayApprove });

/** Why a principal may not decide, in the words that it is told. `isDoubt`: only because it could not be found out now. */
export interface Refusal {
  readonly because: string;
  readonly isDoubt: boolean;
}

const no = (because: string): Refusal => ({ because, isDoubt: false });

/** Why a principal may not decide under a policy; undefined: it may. What cannot be found out is a no. */
export async function notAllowed(
  world: World,
  { approvers }: Policy,
  who: Principal,
  from?: From,
): Promise<Refusal | undefined> {
  if (approvers.length === 0) return no('nobody may decide this: gleaner.yaml names no approver for it');
  const member = await world.directory.isMember(who, from);
  if (member.is !== 'yes')
    return { because: `${who} may not decide this: ${member.because}`, isDoubt: member.is === 'unreadable' };
  if (approvers.includes(who)) return undefined;
  const names = world.rules.names(who);
  const rights = [
    ...approvers.filter((approver) => names.includes(approver)).map((name) => ({ name })),
    ...approvers.filter(isGroup).flatMap((group) => names.filter(isInSlack).map((name) => ({ name, group }))),
  ];
  const lost: Says[] = [];
  for (const right of rights) {
    const says = await holds(world, who, right);
    if (says?.is === 'yes') return undefined;
    if (says) lost.push(says);
  }
  const why = lost.find(({ is }) => is === 'unreadable') ?? lost[0];
  const because = `${who} may not decide this: it is for ${approvers.join(', ')}`;
  return {
    because: why && 'because' in why ? `${because} (${why.because})` : because,
    isDoubt: why?.is === 'unreadable',
  };
}

/**
 * Whether a person has a right by one of their names, or by a group that it is in; undefined: it is not in the group. A
 * name that its own system says is nobody's of ours by now gives no right, by whichever door the person came. Where that
 * cannot be found out a name that the policy itself lists still does: who is known here decides while that system is down.
 */
async function holds(
  { directory }: World,
  who: Principal,
  { name, group }: { readonly name: Principal; readonly group?: Principal },
): Promise<Says | undefined> {
  if (group === undefined) {
    const member = await directory.isMember(name);
    return member.is === 'no' ? { is: 'no', because: `${name}: ${member.because}` } : { is: 'yes' };
  }
  const belongs = await directory.belongs(name, group);
  if (belongs.is === 'no') return undefined;
  return belongs.is === 'yes' && name !== who ? directory.isMember(name) : belongs;
}

const isGroup = (principal: Principal) => principal.startsWith('slack-group:');
const isInSlack = (principal: Principal) => principal.startsWith('slack:');

/** Why none of the policies lets a clicker decide; undefined: one does. */
export async function notAllowedByAny(
  world: World,
  policies: readonly Policy[],
  { who, from }: Click,
): Promise<Refusal | undefined> {
  const named = policies.filter(({ approvers }) => approvers.length > 0);
  let refusal: Refusal | undefined = no('nobody may decide this: gleaner.yaml names no approver for it');
  for (const policy of named) {
    refusal = await notAllowed(world, policy, who, from);
    if (refusal === undefined) return undefined;
  }
  return refusal;
}

/** Whether the policy keeps a principal from approving what the same person asked for. */
export const isOwnRequest = (world: World, policy: Policy, { requester }: Proposal, who: Principal): boolean =>
  !policy.requesterMayApprove && requester !== undefined && world.rules.person(requester) === world.rules.person(who);

/** Those who have approved a plan and may do so by the policy in force now, and of how many that cannot be found out. */
export interface Approvers {
  /** Each person once. */
  readonly people: ReadonlySet<string>;
  readonly doubts: number;
}

/** Counts the approvals of a plan anew. One that was given under another policy, or by who asked for it, is none. */
export async function approversOf(world: World, policy: Policy, item: Proposal, plan: string): Promise<Approvers> {
  const people = new Set<string>();
  let doubts = 0;
  for (const approval of item.approvals) {
    if (approval.plan !== plan || !stands(world, policy, item, approval)) continue;
    const refusal = await notAllowed(world, policy, approval.who);
    if (refusal === undefined) people.add(world.rules.person(approval.who));
    else if (refusal.isDoubt) doubts += 1;
  }
  return { people, doubts };
}

const stands = (world: World, policy: Policy, item: Proposal, { who, policy: given }: Approval) =>
  given === policyId(policy) && !isOwnRequest(world, policy, item, who);
