import { html } from 'hono/html';
import type { Card, CardPlan, CardStep } from '../card.ts';
import { type Choice, type Difference, isRunning, isUndecided } from '../model.ts';
import { moment } from './moment.ts';
import { policyView } from './policy-view.ts';
import { silenceForm } from './silences-view.ts';

const LOOK: Readonly<Record<string, string>> = { fixed: 'well', reverted: 'well', withdrawn: 'well' };

const lookOf = ({ proposal: { state } }: Card) =>
  isUndecided(state) ? 'waits' : isRunning(state) ? 'runs' : (LOOK[state] ?? 'ill');

/** One incident: six lines first, the decision, and everything behind it to unfold. */
export function cardView(card: Card) {
  const { proposal } = card;
  const key = `card-${proposal.incident}`;
  return html`<article id="${key}" class="${lookOf(card)}" aria-labelledby="${key}-title" data-state="${proposal.state}">
    <span class="state">${stateOf(card)}</span>
    <h3 id="${key}-title">${card.title}</h3>
    <dl class="screen">${card.lines.map(({ label, text }) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>
    ${choices(card)} ${card.plans.map((plan) => planView(card, plan))} ${evidenceView(card)} ${timelineView(card)} ${silenceForm(card)}
  </article>`;
}

function stateOf({ proposal, clusterName }: Card) {
  const { state, changedAt, taker, remindAt } = proposal;
  const taken = taker !== undefined && isUndecided(state);
  return html`<b>${state}</b> ${moment(changedAt)} · ${clusterName}${
    taken ? html` <span class="badge">${taker} has it until ${moment(remindAt)}</span>` : ''
  }`;
}

const LABELS: Readonly<Record<Choice, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  snooze: 'Snooze an hour',
  take: 'I have it',
  silence: 'Silence',
  unsilence: 'Hear it again',
  undo: 'Undo',
  again: 'Diagnose again',
  done: 'Done',
  diagnose: 'Diagnose',
  stop: 'Stop',
  resume: 'Resume',
};

function choices({ proposal, plans, choices: offered }: Card) {
  if (offered.length === 0) return '';
  const id = `reason-${proposal.incident}`;
  const isNeeded = offered.includes('approve') && plans.some(({ deciders }) => deciders.reasonRequired);
  const reason = isNeeded ? 'Reason (the policy asks for one)' : 'Reason';
  const others = offered.filter((choice) => choice !== 'approve');
  return html`<form action="/click" method="post" class="choices" aria-label="Decide">
    <input type="hidden" name="proposal" value="${proposal.id}" />
    <input type="hidden" name="revision" value="${proposal.revision}" />
    <input type="text" id="${id}" name="reason" placeholder="${reason}" aria-label="Reason" maxlength="500" autocomplete="off" />
    ${offered.includes('approve') ? plans.map((plan, index) => approveButton(proposal.incident, plan, index)) : ''}
    ${others.map((choice) => html`<button name="choice" value="${choice}" data-key="${choice}-${proposal.incident}">${LABELS[choice]}</button>`)}
  </form>`;
}

/** Each plan has a button of its own; it says in the confirmation what will happen. */
function approveButton(incident: string, plan: CardPlan, index: number) {
  const label = index === 0 ? 'Approve' : `Approve: ${plan.title}`;
  if (plan.closed !== undefined) return html`<button disabled title="${plan.closed}">${label}</button>`;
  return html`<button
    class="${index === 0 ? 'first' : ''}"
    name="choice"
    value="approve:${plan.id}"
    data-key="approve-${plan.id}-${incident}"
    data-confirm="${plan.does} ${plan.irreversible ? `Cannot be undone: ${plan.irreversible}` : ''}"
  >${label}</button>`;
}

function planView({ proposal }: Card, plan: CardPlan) {
  const isRun = proposal.plan === plan.id;
  return html`<details data-key="plan-${plan.id}-${proposal.incident}">
    <summary>Plan: ${plan.title} <span class="badge">${plan.risk} risk</span>${plan.stopgap ? html` <span class="badge">stopgap</span>` : ''}${
      isRun ? html` <span class="badge">${proposal.run.steps.length} of ${plan.steps.length} steps</span>` : ''
    }</summary>
    ${plan.closed === undefined ? '' : html`<p class="notice">Cannot be approved: ${plan.closed}</p>`}
    <p>${plan.blastRadius}</p>
    ${
      plan.preconditions.length === 0
        ? ''
        : html`<p class="quiet">Only while:</p><ul>${plan.preconditions.map((each) => html`<li>${each}</li>`)}</ul>`
    }
    <ol class="steps">${plan.steps.map(stepView)}</ol>
    ${
      plan.onFailure.length === 0
        ? ''
        : html`<h4>If it fails, is stopped, or its outcome is unknown</h4><ol class="steps">${plan.onFailure.map(stepView)}</ol>`
    }
    <p class="quiet">${plan.undo.offered ? 'Undo is offered' : 'No undo'}: ${plan.undo.because}</p>
    ${policyView(proposal, plan)}
  </details>`;
}

function stepView(step: CardStep) {
  const { record } = step;
  return html`<li>
    <b>${step.do}</b> ${step.target}${record ? html` <span class="badge">${record.is}</span>` : ''}<br />
    ${record?.because ?? step.because}
    ${step.what ? html`<pre>${step.what}</pre>` : ''}
    ${step.differences.length > 0 ? html`<ul class="diff" aria-label="What the API server's dry run changed">${step.differences.map(differenceView)}</ul>` : ''}
    ${step.note ? html`<p class="quiet">Dry run: ${step.note}</p>` : ''}
    ${step.kubectl ? html`<details data-key="by-hand-${step.do}-${step.target}"><summary>By hand</summary><pre>${step.kubectl}</pre></details>` : ''}
  </li>`;
}

const shown = (value: unknown) => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');

function differenceView({ path, before, after }: Difference) {
  return html`<li>${path}: ${before === undefined ? '' : html`<del>${shown(before)}</del> `}${
    after === undefined ? '' : html`<ins>${shown(after)}</ins>`
  }</li>`;
}

function evidenceView({ proposal, cause, modeTitle }: Card) {
  const { found, incident } = proposal;
  return html`<details data-key="evidence-${incident}">
    <summary>Why: ${found.cause} (${found.confidence})</summary>
    <p>${found.because}</p>
    ${cause ? html`<p class="quiet">${modeTitle}. ${cause.what}</p>` : ''}
    <div class="scroll"><table>
      <thead><tr><th>Object</th><th>Field</th><th>Seen</th><th>Which means</th></tr></thead>
      <tbody>${found.evidence.map(
        ({ object, field, value, because }) => html`<tr>
          <td>${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}</td>
          <td><code>${field}</code></td><td><code>${shown(value)}</code></td><td>${because}</td></tr>`,
      )}</tbody>
    </table></div>
    ${cause?.upstream.map(
      ({ issue, affected, fixedIn }) =>
        html`<p class="quiet">Upstream: ${issue}. Affected: ${affected}. Fixed in: ${fixedIn}.</p>`,
    )}
    ${found.offer.refusal ? html`<p class="notice">Nothing is touched: ${found.offer.refusal.because}</p>` : ''}
    ${found.offer.prevention ? html`<p><b>So that it does not return:</b> ${found.offer.prevention}</p>` : ''}
  </details>`;
}

function timelineView({ proposal: { timeline, incident, id, revision } }: Card) {
  return html`<details data-key="timeline-${incident}">
    <summary>Timeline</summary>
    <table class="timeline"><tbody>${timeline.map(
      ({ at, is, who, because }) =>
        html`<tr><th>${moment(at)}</th><td>${is}</td><td>${because}${who ? html` <span class="badge">${who}</span>` : ''}</td></tr>`,
    )}</tbody></table>
    <p class="quiet"><code>${id}</code> revision <code>${revision}</code> · <a href="/slack/${id}">how Slack shows it</a></p>
  </details>`;
}
