import type { Choice, Click, From, Principal } from '../../model.ts';
import { idOfClick, type KeepParts, keepClick } from './keep.ts';
import { askReason, type ModalParts, type Opened, showDetails } from './modals.ts';
import { answerMessage } from './notice.ts';
import { inTime } from './patience.ts';
import { type Home, isForeign, Press, placeOf, principalOf } from './payloads.ts';
import { ACTION, type Pressed, parsePressed } from './pressed.ts';
import type { RefusedKind, TellRefused } from './refused.ts';
import { answerTo, type RespondParts } from './respond.ts';

/** What takes an interaction needs. It looks at no policy and no record: those are `decide`'s. */
export interface InteractionParts extends KeepParts, ModalParts, Pick<RespondParts, 'url'> {
  readonly clock: KeepParts['clock'];
  /** Undefined while `auth.test` has not said it: then `decide` alone tells who is of another workspace. */
  readonly home: () => Home | undefined;
  readonly refused: TellRefused;
}

/** Telling takes no longer: the acknowledgement waits for it. */
const TELL = 800;

const UNKNOWN = 'This button is of another version of Gleaner: use those of the newest card.';
const TAMPERED = 'This button does not say what it is for, so nothing was done: use those of the newest card.';
const NO_FORM = 'The form could not be opened, and nothing was done: click again.';
const NO_DETAILS = 'The details could not be shown: click again.';

/** What a button chooses. Undefined for what has none: what holds for a whole cluster is typed. */
export function choiceOf({ do: what }: Pressed): Choice | undefined {
  switch (what) {
    case 'details':
    case 'silence':
    case 'unsilence':
    case 'stop':
    case 'resume':
      return undefined;
    default:
      return what;
  }
}

interface Sender {
  readonly who: Principal;
  readonly from: From;
  readonly trigger: string;
}

/** Takes the press of a button: opens the modal that it asks for, or keeps the click. Then it may be acknowledged. */
export async function onPress(parts: InteractionParts, body: unknown): Promise<void> {
  const home = parts.home();
  const press = Press.safeParse(body).data;
  const from = press && placeOf(press, home);
  if (!press || !from) return parts.refused({ kind: 'malformed', because: 'a press of a button that cannot be read' });
  const [{ action_id, value }] = press.actions;
  const pressed = parsePressed(value);
  const asked = pressed?.asked;
  const sender: Sender = {
    ...{ who: principalOf(press), trigger: press.trigger_id },
    from: { ...from, ...(asked !== undefined && { question: asked }) },
  };
  if (!ACTION.test(action_id)) return refuse(parts, sender, 'unknown', UNKNOWN);
  if (!pressed || !action_id.startsWith(`gleaner:${pressed.do}:`)) return refuse(parts, sender, 'tampered', TAMPERED);
  if (pressed.do === 'details') return details(parts, sender, pressed);
  const choice = choiceOf(pressed);
  if (choice === undefined) return refuse(parts, sender, 'tampered', TAMPERED);
  if (isForeign(from, home)) await parts.refused({ kind: 'foreign', because: FOREIGN, ...publicOf(sender) });
  else if (pressed.reason && !(await isToBeSent(parts, sender, pressed))) return;
  const { proposal, revision, plan } = pressed;
  const click: Click = {
    ...{ id: idOfClick(from.team, sender.who, sender.trigger, value ?? ''), who: sender.who },
    ...{ choice, proposal, revision, from: sender.from, ...(plan !== undefined && { plan }) },
  };
  const kept = await keepClick(parts, click);
  if (!kept.ok) await tell(parts, sender, kept.because);
}

const FOREIGN = 'a click from another workspace';

const publicOf = ({ who, from: { team, channel } }: Sender) => ({ who, team, channel });

/** Whether a click that needs a reason goes out without one: its proposal is gone, which `decide` says in words. */
async function isToBeSent(parts: InteractionParts, sender: Sender, pressed: Pressed): Promise<boolean> {
  const opened = await askReason(parts, sender.trigger, pressed, sender.from);
  if (opened.is === 'failed') await sorry(parts, sender, opened, NO_FORM);
  return opened.is === 'gone';
}

async function details(parts: InteractionParts, sender: Sender, pressed: Pressed): Promise<void> {
  const opened = await showDetails(parts, sender.trigger, pressed, sender);
  switch (opened.is) {
    case 'open':
      return;
    case 'failed':
      return sorry(parts, sender, opened, NO_DETAILS);
    case 'foreign':
      return parts.refused({ kind: 'foreign', because: opened.because, ...publicOf(sender) });
    case 'gone':
      return parts.refused({ kind: 'gone', because: `details of ${pressed.proposal}`, ...publicOf(sender) });
  }
}

async function sorry(
  parts: InteractionParts,
  sender: Sender,
  { because }: Extract<Opened, { because: string }>,
  said: string,
) {
  parts.warn(`a modal was not shown: ${because}`);
  await tell(parts, sender, said);
}

async function refuse(parts: InteractionParts, sender: Sender, kind: RefusedKind, said: string): Promise<void> {
  await Promise.all([
    parts.refused({ kind, because: 'a button that was not drawn by this Gleaner', ...publicOf(sender) }),
    tell(parts, sender, said),
  ]);
}

/** Tells the clicker alone. Whether it arrives does not hold up the acknowledgement. */
async function tell(parts: InteractionParts, { who, from }: Sender, because: string): Promise<void> {
  const user = who.slice('slack:'.length);
  const message = answerMessage({ ok: false, because });
  const told = await inTime(parts.clock, TELL, answerTo({ ...parts, timeout: TELL }, from, user, message));
  if (told.is !== 'there' || told.value.is !== 'told') parts.warn('a clicker could not be told that nothing was done');
}
