import type { ModalView } from '@slack/types';
import type { Click } from '../../model.ts';
import { sorryView } from './details.ts';
import { idOfClick, keepClick } from './keep.ts';
import { principalOf, Submission, teamOf } from './payloads.ts';
import { choiceOf, type InteractionParts } from './press.ts';
import { encodePressed } from './pressed.ts';
import { readReason } from './reason.ts';

/** What the modal does next: it closes, says what is wrong with a field, or shows something else. */
export type Next =
  | { readonly is: 'close' }
  | { readonly is: 'errors'; readonly errors: Record<string, string> }
  | { readonly is: 'update'; readonly view: ModalView };

const TAMPERED = 'This form is of another version of Gleaner, so nothing was done: use the buttons of the newest card.';

/** Takes the reason of a decision, and keeps the click that it completes. Where that fails, the form stays with what was typed. */
export async function onSubmit(parts: InteractionParts, body: unknown): Promise<Next> {
  const submission = Submission.safeParse(body).data;
  const team = submission && teamOf(submission, parts.home());
  if (!submission || team === undefined) {
    await parts.refused({ kind: 'malformed', because: 'a modal that cannot be read' });
    return { is: 'update', view: sorryView(TAMPERED) };
  }
  const who = principalOf(submission);
  const given = readReason(Object(body).view);
  const choice = given && choiceOf(given.pressed);
  if (!given || choice === undefined) {
    await parts.refused({ kind: 'tampered', because: 'a modal that was not made by this Gleaner', who, team });
    return { is: 'update', view: sorryView(TAMPERED) };
  }
  const { pressed, from, reason } = given;
  const wrong = (because: string): Next => ({ is: 'errors', errors: { [submission.view.state.block]: because } });
  if (reason === '') return wrong('Write why: it stands on the card and in the audit log.');
  const { proposal, revision, plan } = pressed;
  const click: Click = {
    // A form is sent once: what is sent again by a second press or a second connection has the same id.
    ...{
      id: idOfClick(team, who, submission.view.id, encodePressed(pressed)),
      who,
      choice,
      proposal,
      revision,
      reason,
    },
    ...{ from: { ...from, team }, ...(plan !== undefined && { plan }) },
  };
  const kept = await keepClick(parts, click);
  return kept.ok ? { is: 'close' } : wrong(kept.because);
}
