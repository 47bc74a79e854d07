import type { ModalView } from '@slack/types';
import type { Card, CardPlan } from '../../card.ts';
import { type Evidence, type Json, nameOf } from '../../handler.ts';
import { header, plain, small } from './blocks.ts';
import { fit, may, must, type Part } from './fit.ts';
import { SLACK } from './limits.ts';
import { block, bold, bullets, code, link, person, quote, rich, says, section, words } from './rich.ts';
import { clock, moment, standingLine } from './standing.ts';
import { stepPart } from './step.ts';

const DETAILS_VIEW = 'gleaner:details';
const VALUE = 700;
const STAGES = 12;

const modal = (title: string, blocks: ModalView['blocks']): ModalView => ({
  type: 'modal',
  callback_id: DETAILS_VIEW,
  title: plain(title, SLACK.view.title),
  close: plain('Close', SLACK.view.button),
  blocks,
});

/** What is shown at once, for the trigger of a click lives three seconds; `views.update` puts the details in its place. */
export const loadingView = (): ModalView => modal('Details', [rich(section(words('Looking it up…')))]);

/** Why there are no details. */
export const sorryView = (because: string): ModalView => modal('Details', [rich(section(says(because, 1_000)))]);

/** Everything that an approver may want to know before a click: why, what was seen, what would be done and how by hand. */
export function detailsView(card: Card): ModalView {
  const { offer } = card.proposal.found;
  const parts: Part[] = [
    must(header(card.title), rich(standingLine(card))),
    ...cause(card),
    ...(offer.refusal
      ? [may(rich(quote(bold('Nothing is touched'), words('  '), says(offer.refusal.because, 1_000))))]
      : []),
    ...card.plans.flatMap((plan) => planParts(card, plan)),
    ...evidence(card),
    ...(offer.prevention
      ? [may(header('So that it does not return'), rich(section(says(offer.prevention, 1_500))))]
      : []),
    ...timeline(card),
    must(small(`${card.modeTitle}  ·  proposal ${card.proposal.id}  ·  revision ${card.proposal.revision}`)),
  ];
  return modal(
    'Details',
    fit(parts, 'modal', (left) => pointer(card, left)),
  );
}

const pointer = ({ proposal }: Card, left: number) =>
  rich(
    section(
      words(`${left} more parts are left out here: `),
      code(`gleaner show ${proposal.id}`),
      words(' and the page have them all.'),
    ),
  );

function cause({ proposal: { found }, cause: known }: Card): Part[] {
  const upstream = (known?.upstream ?? [])
    .slice(0, 10)
    .map(({ issue, affected, fixedIn }) => [
      ...(/^https:\/\/github\.com\//.test(issue)
        ? [link(issue, issue.replace('https://github.com/', ''))]
        : [says(issue, 200)]),
      words('  '),
      says(`affected: ${affected}; fixed in: ${fixedIn}`, 400),
    ]);
  return [
    must(
      rich(
        section(bold('Cause'), words('  '), says(`${found.cause} (${found.confidence})`, 200)),
        ...(known ? [section(says(known.what, 1_000))] : []),
        section(says(found.because, 1_200)),
      ),
    ),
    ...(upstream.length > 0 ? [may(rich(section(bold('Upstream')), bullets(upstream)))] : []),
  ];
}

function planParts(card: Card, plan: CardPlan): Part[] {
  const { deciders, undo } = plan;
  const tier = `${plan.risk} risk${plan.stopgap ? ', a stopgap: the cause stays' : ''}`;
  const forGood = plan.irreversible ?? 'Nothing is lost for good.';
  const rows: readonly (readonly [string, string])[] = [
    ['Does', plan.does],
    ['Moves', plan.blastRadius],
    ['For good', forGood],
    ['Undo', `${undo.offered ? 'is offered' : 'none'}: ${undo.because}`],
    [
      'Needs',
      `${deciders.quorum} ${deciders.quorum === 1 ? 'person' : 'people'}${deciders.reasonRequired ? ', with a reason' : ''}`,
    ],
  ];
  const closed =
    plan.closed === undefined ? [] : [quote(bold('Cannot be approved'), words('  '), says(plan.closed, 600))];
  const checked = plan.preconditions.slice(0, 20).map((each) => [says(each, 400)]);
  return [
    may(
      header(`${plan.title} (${tier})`),
      rich(...closed, ...rows.map(([label, text]) => section(bold(label), words('  '), says(text, 700)))),
    ),
    ...(checked.length > 0 ? [may(rich(section(bold('Only while')), bullets(checked)))] : []),
    ...plan.steps.map((step, index) => may(stepPart(card, step, `${index + 1} of ${plan.steps.length}`))),
    ...(plan.onFailure.length > 0
      ? [may(rich(section(bold('If it fails, is stopped, or its outcome is unknown'), words(', approved with it:'))))]
      : []),
    ...plan.onFailure.map((step, index) => may(stepPart(card, step, `then ${index + 1} of ${plan.onFailure.length}`))),
  ];
}

function evidence({ proposal: { found } }: Card): Part[] {
  const all = found.evidence.map((seen, index) =>
    index === 0 ? may(header('What was seen'), evidenceBlock(seen)) : may(evidenceBlock(seen)),
  );
  return all;
}

const evidenceBlock = ({ object, field, value, because }: Evidence) =>
  rich(
    section(bold(nameOf(object), 200), words('  '), code(field), words('  '), says(because, 600)),
    block(valueText(value), VALUE),
  );

/** A short value in one line, a long one over several. */
function valueText(value: Json): string {
  if (typeof value === 'string') return value === '' ? '""' : value;
  const short = JSON.stringify(value);
  return short.length <= 90 ? short : JSON.stringify(value, null, 2);
}

function timeline({ proposal }: Card): Part[] {
  const stages = proposal.timeline.slice(-STAGES);
  const left = proposal.timeline.length - stages.length;
  if (stages.length === 0) return [];
  const rows = stages.map(({ at, is, who, because }) => [
    words(`${clock(at)}  `),
    bold(is, 40),
    ...(who ? [words(' '), person(who)] : []),
    words('  '),
    says(because, 300),
  ]);
  const head = `since ${moment(proposal.openedAt)}${left > 0 ? `; ${left} earlier stages are left out` : ''}`;
  return [may(rich(section(bold('What happened'), words(`  ${head}`)), bullets(rows)))];
}
