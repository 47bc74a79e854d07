import { type Evidence, type Json, nameOf } from '../handler.ts';
import { type Difference, isUndecided, type Stage } from '../model.ts';
import type { ShownCard, ShownPlan, ShownStep } from '../ports/api.ts';
import { harmless, labelled as labelledBy, styled, type Terminal } from './terminal.ts';

/** How much of a value is shown: `-o json` has all of it. */
const VALUE = 160;

/** As wide as the widest label of a card's six lines. */
const LABELS = 12;

const labelled = (terminal: Terminal, label: string, text: string, { hang = 0 } = {}) =>
  labelledBy(terminal, label, text, { hang, labels: LABELS });

/** A card as a terminal shows it: the six lines of the page first, then the plans with their diffs, then why. */
export function shownCard(card: ShownCard, terminal: Terminal): string {
  const label = (name: string, text: string) => labelled(terminal, name, text);
  const { because, cause, confidence, prevention, refusal, taker, requester, revision, proposal } = card;
  const lines = [
    `${stateWord(card, terminal)} ${styled(terminal, 'dim', `${harmless(card.cluster)} / ${card.mode}`)}`,
    styled(terminal, 'bold', harmless(card.title)),
    ...card.lines.flatMap((line) => label(line.label, line.text)),
    ...(taker === undefined || !isUndecided(card.state) ? [] : label('In hand', taker)),
    ...(requester === undefined ? [] : label('Asked for', requester)),
    ...card.plans.flatMap((plan) => ['', ...planLines(plan, terminal)]),
    ...(refusal === undefined ? [] : ['', ...label('No fix', refusal)]),
    '',
    ...label('Why', `${because} (${cause}, ${confidence})`),
    ...card.evidence.flatMap((evidence, n) => evidenceLines(evidence, n, terminal)),
    ...card.upstream.flatMap(({ issue, affected, fixedIn }) =>
      label('Upstream', `${issue}; affects ${affected}; fixed in ${fixedIn}`),
    ),
    ...(prevention === undefined ? [] : label('Prevent', prevention)),
    '',
    ...card.timeline.flatMap((stage, n) => label(n === 0 ? 'Timeline' : '', stageWords(stage))),
    '',
    ...label('Proposal', proposal),
    ...label('Revision', revision),
  ];
  return `${lines.join('\n')}\n`;
}

const COLOURS = { open: 'red', snoozed: 'red', fixed: 'green', reverted: 'green', withdrawn: 'green' } as const;

/** The state in capitals, in the colour that it has on the page. */
export function stateWord({ state }: Pick<ShownCard, 'state'>, terminal: Terminal): string {
  const colour = Object.entries(COLOURS).find(([name]) => name === state)?.[1] ?? 'yellow';
  return styled(terminal, ['bold', colour], state.toUpperCase());
}

const at = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
const stageWords = ({ at: time, is, who, because }: Stage) =>
  `${at(time)} ${is}${who === undefined ? '' : ` by ${who}`}: ${because}`;

function planLines(plan: ShownPlan, terminal: Terminal): string[] {
  const label = (name: string, text: string) => labelled(terminal, name, text);
  const undo = `${plan.undo.offered ? 'offered later' : 'not offered'}: ${plan.undo.because}`;
  return [
    ...label(
      'Plan',
      `${plan.title} (${plan.risk} risk${plan.stopgap ? ', stopgap: the cause stays' : ''}), --plan ${plan.id}`,
    ),
    ...(plan.closed === undefined ? [] : label('Closed', `it cannot be approved: ${plan.closed}`)),
    ...label('Does', plan.does),
    ...label('Moves', plan.blastRadius),
    ...plan.preconditions.flatMap((each, n) => label(n === 0 ? 'Only while' : '', `- ${each}`)),
    ...plan.steps.flatMap((step, n) => stepLines(step, n === 0 ? 'Steps' : '', n + 1, terminal)),
    ...plan.onFailure.flatMap((step, n) => stepLines(step, n === 0 ? 'On failure' : '', n + 1, terminal)),
    ...label('For good', plan.irreversible ?? 'Nothing is lost for good.'),
    ...label('Undo', undo),
    ...label('Policy', policyWords(plan)),
    ...plan.lapsed.flatMap((who) =>
      label('Lapsed', `${who} approved it under a policy that is not in force any more: that does not count`),
    ),
  ];
}

function policyWords({ deciders, approvedBy }: ShownPlan): string {
  const { approvers, quorum, reasonRequired, requesterMayApprove } = deciders;
  if (approvers.length === 0) return 'nobody may approve it: gleaner.yaml names no approver for it';
  return [
    `by ${approvers.join(', ')}`,
    quorum === 1 ? 'one is enough' : `${quorum} people are needed`,
    ...(reasonRequired ? ['with a reason'] : []),
    ...(requesterMayApprove ? [] : ['not by who asked for it']),
    ...(approvedBy.length > 0 ? [`approved by ${approvedBy.join(', ')}`] : []),
  ].join('; ');
}

function stepLines(step: ShownStep, label: string, n: number, terminal: Terminal): string[] {
  const number = `${n}. `;
  const { record, what, kubectl, note, differences } = step;
  const said = `${step.do} ${step.target}: ${what ?? step.because}${record ? ` [${record.is}: ${record.because}]` : ''}`;
  return [
    ...labelled(terminal, label, `${number}${said}`, { hang: number.length }),
    ...differences.map((difference) => `${INDENT}${differenceWords(difference)}`),
    ...(note === undefined ? [] : [`${INDENT}${styled(terminal, 'dim', harmless(`dry run: ${note}`))}`]),
    // On one line whatever its length, so that it can be copied.
    ...(kubectl === undefined ? [] : [`${INDENT}${styled(terminal, 'green', `$ ${harmless(kubectl)}`)}`]),
  ];
}

const INDENT = ' '.repeat(18);

/** What the API server's dry run changed, on one line. */
function differenceWords({ path, before, after }: Difference): string {
  const change =
    before === undefined
      ? `+ ${shown(after)}`
      : after === undefined
        ? `- ${shown(before)}`
        : `${shown(before)} → ${shown(after)}`;
  return harmless(`${path}: ${change}`);
}

function evidenceLines({ object, field, value, because }: Evidence, n: number, terminal: Terminal): string[] {
  return [
    ...labelled(terminal, n === 0 ? 'Evidence' : '', `- ${because}`, { hang: 2 }),
    `${INDENT}${styled(terminal, 'dim', harmless(`${nameOf(object)} ${field} = ${shown(value)}`))}`,
  ];
}

function shown(value: Json | undefined): string {
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? '(nothing)');
  return text.length > VALUE ? `${[...text].slice(0, VALUE - 1).join('')}…` : text;
}
