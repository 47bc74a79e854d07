import type { Card, CardPlan, CardStep } from '../card.ts';
import type { ShownCard, ShownIncident, ShownPlan, ShownStep } from '../ports/api.ts';

/** One line of a list. */
export function shownIncident({ proposal, title, clusterName }: Card): ShownIncident {
  const { id, incident, state, found, openedAt, changedAt, taker } = proposal;
  return {
    ...{ proposal: id, incident, state, cluster: clusterName, mode: found.mode, title, changedAt },
    since: found.since ?? openedAt,
    ...(taker !== undefined && { taker }),
  };
}

/** A card as the API gives it. */
export function shownCard(card: Card): ShownCard {
  const { proposal, modeTitle, lines, choices, plans, cause } = card;
  const { found, revision, openedAt, expiresAt, timeline, requester } = proposal;
  const { refusal, prevention } = found.offer;
  return {
    ...shownIncident(card),
    ...{ revision, modeTitle, openedAt, expiresAt, timeline },
    ...{ lines: [...lines], choices: [...choices], plans: plans.map((plan) => shownPlan(card, plan)) },
    ...{ cause: found.cause, confidence: found.confidence, because: found.because, evidence: found.evidence },
    upstream: (cause?.upstream ?? []).map(({ issue, affected, fixedIn }) => ({ issue, affected, fixedIn })),
    ...(refusal && { refusal: refusal.because }),
    ...(prevention !== null && { prevention }),
    ...(requester !== undefined && { requester }),
  };
}

function shownPlan({ proposal }: Card, plan: CardPlan): ShownPlan {
  const { id, title, risk, stopgap, does, blastRadius, irreversible, preconditions, undo, closed } = plan;
  const { approvers, quorum, requesterMayApprove, reasonRequired } = plan.deciders;
  return {
    ...{ id, title, risk, stopgap, does, blastRadius, irreversible, preconditions, undo },
    ...{ steps: plan.steps.map(shownStep), onFailure: plan.onFailure.map(shownStep) },
    ...(closed !== undefined && { closed }),
    deciders: { approvers: [...approvers], quorum, requesterMayApprove, reasonRequired },
    approvedBy: [...plan.approvedBy],
    lapsed: proposal.approvals
      .filter((one) => one.plan === id && one.policy !== plan.deciders.id)
      .map(({ who }) => who),
  };
}

const shownStep = ({ do: verb, target, because, what, kubectl, differences, note, record }: CardStep): ShownStep => ({
  ...{ do: verb, target, because, differences: [...differences] },
  ...(what !== undefined && { what }),
  ...(kubectl !== undefined && { kubectl }),
  ...(note !== undefined && { note }),
  ...(record && { record }),
});
