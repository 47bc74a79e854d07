import type { Button, Confirm } from '@slack/types';
import type { Card, CardPlan } from '../../card.ts';
import type { Choice } from '../../model.ts';
import { plain } from './blocks.ts';
import { SLACK } from './limits.ts';
import { cut, inline, lengthOf } from './plain.ts';
import { actionId, encodePressed, type Pressed } from './pressed.ts';

type Look = Pick<Button, 'style' | 'confirm'>;

function button(
  card: Card,
  label: string,
  what: Omit<Pressed, 'proposal' | 'revision'>,
  index = 0,
  look: Look = {},
): Button {
  const { id: proposal, revision } = card.proposal;
  return {
    type: 'button',
    action_id: actionId(what.do, index),
    text: plain(label, SLACK.button.text),
    value: encodePressed({ ...what, proposal, revision }),
    ...look,
  };
}

/** Whether the plan can be approved by a click now. */
export const isApprovable = (card: Card, plan: CardPlan) =>
  card.choices.includes('approve') && plan.closed === undefined;

/**
 * What approving one plan looks like. Where the policy asks for a reason the button opens a modal, which says what the
 * confirmation says; else the confirmation is the second look.
 */
export function approveButton(
  card: Card,
  plan: CardPlan,
  label = plan.stopgap ? 'Approve stopgap' : 'Approve',
): Button {
  const index = card.plans.indexOf(plan);
  const style = plan.risk === 'high' ? 'danger' : 'primary';
  const asks = plan.deciders.reasonRequired;
  return button(
    card,
    asks ? `${label}…` : label,
    { do: 'approve', plan: plan.id, ...(asks && { reason: true }) },
    index,
    { style, ...(!asks && { confirm: confirmation(plan, style) }) },
  );
}

/** What cannot be undone stands in the confirmation whole, as long as Slack allows; what it does gets the rest. */
function confirmation(plan: CardPlan, style: 'danger' | 'primary'): Confirm {
  const stays = plan.stopgap ? ' A stopgap: the cause stays.' : '';
  const forGood = plan.irreversible === null ? 'Nothing is lost for good.' : `For good: ${inline(plan.irreversible)}`;
  const last = cut(`${forGood}${stays}`, 180);
  return {
    title: plain(plan.title, SLACK.confirm.title),
    text: plain(`${cut(inline(plan.does), SLACK.confirm.text - lengthOf(last) - 2)} ${last}`, SLACK.confirm.text),
    confirm: plain(plan.stopgap ? 'Approve stopgap' : 'Approve', SLACK.confirm.button),
    deny: plain('Not now', SLACK.confirm.button),
    style,
  };
}

/** The button of any choice but `approve`; undefined for those that hold for a cluster. */
export function choiceButton(card: Card, choice: Exclude<Choice, 'approve'>): Button | undefined {
  switch (choice) {
    case 'reject':
      return button(card, 'Reject…', { do: 'reject', reason: true });
    case 'snooze':
      return button(card, 'Snooze 1 h', { do: 'snooze' });
    case 'take':
      return button(card, 'I have it', { do: 'take' });
    case 'done':
      return button(card, 'Done', { do: 'done' }, 0, { style: 'primary' });
    case 'undo':
      return button(card, 'Undo', { do: 'undo' }, 0, { confirm: undoing });
    case 'again':
      return button(card, 'Run it again', { do: 'again' });
    case 'diagnose':
      return button(card, 'Diagnose again', { do: 'diagnose' });
    case 'silence':
    case 'unsilence':
    case 'stop':
    case 'resume':
      return undefined;
  }
}

const undoing: Confirm = {
  title: plain('Propose the undo', SLACK.confirm.title),
  text: plain(
    'Nothing changes yet: undoing is a plan of its own, which is shown, approved and verified like any other.',
    SLACK.confirm.text,
  ),
  confirm: plain('Propose it', SLACK.confirm.button),
  deny: plain('Not now', SLACK.confirm.button),
};

export const detailsButton = (card: Card): Button => button(card, 'Details', { do: 'details' });

/** The buttons in one row. Plans of which there are several have theirs beside their words. */
export function buttonRow(card: Card): Button[] {
  const only = card.plans.length === 1 ? card.plans[0] : undefined;
  const others = card.choices.flatMap((choice) => (choice === 'approve' ? [] : (choiceButton(card, choice) ?? [])));
  return [...(only && isApprovable(card, only) ? [approveButton(card, only)] : []), ...others, detailsButton(card)];
}
