import type { ModalView } from '@slack/types';
import * as z from 'zod';
import type { Card } from '../../card.ts';
import { From } from '../../model.ts';
import { plain } from './blocks.ts';
import { SLACK } from './limits.ts';
import { json, Pressed } from './pressed.ts';
import { bold, rich, says, section, words } from './rich.ts';

export const REASON_VIEW = 'gleaner:reason';
const FIELD = { block: 'gleaner:reason', action: 'gleaner:reason:text' };
/** As much as the record keeps of a reason. */
const LONGEST = 500;

const Kept = z.strictObject({ pressed: Pressed, from: From });
/** What the modal asks for, on top of what was pressed and where. */
export interface Given {
  readonly pressed: Pressed;
  readonly from: From;
  readonly reason: string;
}

/**
 * Asks for the reason of a decision: a modal that keeps what was pressed and where. With the card it also says what an
 * approval does and what stays. An address to answer to that does not fit any more is left out.
 */
export function reasonView(pressed: Pressed, from: From, card?: Card): ModalView {
  const approves = pressed.do === 'approve';
  const plan = card?.plans.find(({ id }) => id === pressed.plan);
  const what = approves && plan ? [bold(plan.title, 200), words('  '), says(plan.does, 500)] : [];
  const forGood =
    approves && plan
      ? [section(bold('For good'), words('  '), says(plan.irreversible ?? 'Nothing is lost for good.', 400))]
      : [];
  return {
    type: 'modal',
    callback_id: REASON_VIEW,
    private_metadata: kept(pressed, from),
    title: plain(approves ? 'Approve' : pressed.do === 'reject' ? 'Reject' : 'Say why', SLACK.view.title),
    submit: plain(approves ? 'Approve' : pressed.do === 'reject' ? 'Reject' : 'Send', SLACK.view.button),
    close: plain('Not now', SLACK.view.button),
    blocks: [
      ...(card
        ? [rich(section(bold(card.title, 200)), ...(what.length > 0 ? [section(...what)] : []), ...forGood)]
        : []),
      {
        type: 'input',
        block_id: FIELD.block,
        label: plain(approves ? 'Why is it right to do this now?' : 'Why not?', SLACK.input.label),
        hint: plain('It stands on the card and in the audit log, with your name.', SLACK.input.hint),
        element: {
          type: 'plain_text_input',
          action_id: FIELD.action,
          multiline: true,
          min_length: 1,
          max_length: LONGEST,
          focus_on_load: true,
        },
      },
    ],
  };
}

function kept(pressed: Pressed, from: From): string {
  const { reply, ...place } = from;
  const all = JSON.stringify({ pressed, from });
  return reply === undefined || all.length <= SLACK.view.metadata ? all : JSON.stringify({ pressed, from: place });
}

const Submitted = z.object({
  callback_id: z.literal(REASON_VIEW),
  private_metadata: z.string().max(SLACK.view.metadata),
  state: z.object({
    values: z.object({ [FIELD.block]: z.object({ [FIELD.action]: z.object({ value: z.string().nullish() }) }) }),
  }),
});

/** Reads the `view` of a `view_submission`; undefined where it is not ours or was tampered with. The reason may be blank. */
export function readReason(view: unknown): Given | undefined {
  const submitted = Submitted.safeParse(view).data;
  const parsed = submitted && Kept.safeParse(json(submitted.private_metadata)).data;
  if (!submitted || !parsed) return undefined;
  const reason = submitted.state.values[FIELD.block]?.[FIELD.action]?.value ?? '';
  return { ...parsed, reason: reason.slice(0, LONGEST).trim() };
}
