import type { KnownBlock } from '@slack/types';
import type { Card, CardPlan } from '../../card.ts';
import type { Choice } from '../../model.ts';
import { actions, header, type Message, message, small } from './blocks.ts';
import { approveButton, choiceButton, detailsButton, isApprovable } from './buttons.ts';
import { encodePressed, parsePressed } from './pressed.ts';
import { bold, quote, rich, says, section, words } from './rich.ts';
import { standingLine, standingOf } from './standing.ts';

const PLANS = 5;

/** A message as the answer to a question: each of its buttons names that, for it stands on no card. */
export const answering = (question: string, { text, blocks }: Message): Message => ({
  text,
  blocks: blocks.map((block) =>
    block.type === 'actions' ? { ...block, elements: block.elements.map((one) => naming(question, one)) } : block,
  ),
});

function naming<T extends { readonly type: string; readonly value?: unknown }>(asked: string, element: T): T {
  const pressed = parsePressed(element.value);
  return pressed ? { ...element, value: encodePressed({ ...pressed, asked }) } : element;
}

/**
 * What a typed `/gleaner approve ID` is answered with, for that person alone: what it does, at which revision, and the one
 * button that says so. `plan` picks one of several. Where the card does not offer the choice now, it says why.
 */
export function askMessage(card: Card, choice: Choice, plan?: string): Message {
  const head: KnownBlock[] = [header(card.title), rich(standingLine(card))];
  const foot = small(`revision ${card.proposal.revision}  ·  ${card.proposal.id}`);
  const body = choice === 'approve' ? approvals(card, plan) : other(card, choice);
  return message(`${choice}? ${card.clusterName}: ${card.title}`, [...head, ...body, foot]);
}

function approvals(card: Card, wanted: string | undefined): KnownBlock[] {
  const named = card.plans.filter(({ id }) => wanted === undefined || id === wanted);
  const open = named.filter((plan) => isApprovable(card, plan)).slice(0, PLANS);
  if (open.length > 0)
    return open.flatMap((plan) => [
      planBlock(plan),
      actions([approveButton(card, plan), detailsButton(card)].slice(0, plan === open[0] ? 2 : 1)),
    ]);
  const closed = named.find((plan) => plan.closed !== undefined)?.closed;
  const refusal = card.proposal.found.offer.refusal?.because;
  const because =
    closed ??
    (wanted !== undefined && named.length === 0 ? `it offers no plan ${wanted}` : (refusal ?? standingOf(card).label));
  return cannot('approved', because);
}

const planBlock = (plan: CardPlan) =>
  rich(
    section(
      bold(plan.title, 200),
      words('  '),
      says(`${plan.risk} risk${plan.stopgap ? ', a stopgap: the cause stays' : ''}`),
    ),
    section(bold('Does'), words('  '), says(plan.does, 500)),
    section(bold('Moves'), words('  '), says(plan.blastRadius, 300)),
    section(bold('For good'), words('  '), says(plan.irreversible ?? 'Nothing is lost for good.', 400)),
  );

const PARTICIPLES: Partial<Record<Choice, string>> = {
  reject: 'rejected',
  snooze: 'snoozed',
  undo: 'undone',
  again: 'run again',
  diagnose: 'diagnosed again',
  take: 'taken',
  done: 'called done',
};

function other(card: Card, choice: Exclude<Choice, 'approve'>): KnownBlock[] {
  const button = card.choices.includes(choice) ? choiceButton(card, choice) : undefined;
  if (button) return [actions([button, detailsButton(card)])];
  return cannot(PARTICIPLES[choice] ?? 'decided here', standingOf(card).label);
}

const cannot = (what: string, because: string): KnownBlock[] => [
  rich(quote(bold(`It cannot be ${what} now`), words('  '), says(because, 600))),
];
