import { html } from 'hono/html';
import type { CardPlan } from '../card.ts';
import { isUndecided, type Proposal } from '../model.ts';

/** Who decides on a plan by the policy that is in force now, who has approved it, and which approvals do not count. */
export function policyView(proposal: Proposal, { id, deciders, approvedBy }: CardPlan) {
  const { approvers, quorum, reasonRequired, requesterMayApprove } = deciders;
  const { requester, state } = proposal;
  const lapsed = proposal.approvals.filter((one) => one.plan === id && one.policy !== deciders.id);
  const rules = [
    approvers.length === 0 ? 'nobody may approve it: gleaner.yaml names no approver' : `by ${approvers.join(', ')}`,
    quorum === 1 ? 'one of them is enough' : `${quorum} people are needed`,
    ...(reasonRequired ? ['with a reason'] : []),
    ...(requesterMayApprove ? [] : ['not by who asked for it']),
  ];
  return html`<p class="quiet">Policy in force: ${rules.join('; ')}.${requester === undefined ? '' : ` ${requester} asked for it.`}${
    approvedBy.length > 0 ? ` Approved by ${approvedBy.join(', ')}.` : ''
  }</p>
  ${
    isUndecided(state)
      ? lapsed.map(
          ({ who }) =>
            html`<p class="notice">${who} approved it under a policy that is not in force any more: that does not count.</p>`,
        )
      : ''
  }`;
}
