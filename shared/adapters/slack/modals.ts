import type { ModalView } from '@slack/types';
import * as z from 'zod';
import type { Card } from '../../card.ts';
import type { From, Principal } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Directory } from '../../ports/directory.ts';
import { detailsView, loadingView, sorryView } from './details.ts';
import { type InTime, inTime } from './patience.ts';
import type { Pressed } from './pressed.ts';
import { reasonView } from './reason.ts';
import { failureOf } from './refusals.ts';
import type { SlackApi } from './web-api.ts';

/** A trigger lives three seconds: what is not read by then is shown in a modal that stands already. */
const AT_ONCE = 600;
const LATER = 1_200;

export interface ModalParts {
  readonly api: SlackApi;
  readonly clock: Pick<Clock, 'after'>;
  /** The card of a proposal as it stands; undefined: there is no such proposal. */
  readonly card: (proposal: string) => Promise<Card | undefined>;
  readonly directory: Directory;
}

/** What came of opening one. `gone`: there is no such proposal. */
export type Opened =
  | { readonly is: 'open' }
  | { readonly is: 'gone' }
  | { readonly is: 'foreign' | 'failed'; readonly because: string };

const View = z.object({ view: z.object({ id: z.string() }) });
const OPEN = { is: 'open' } as const;

const open = (api: SlackApi, trigger: string, view: ModalView) =>
  api.call('views.open', { trigger_id: trigger, view }, View);

/** Asks for the reason of what was pressed. That of a proposal that is gone is not asked for. */
export async function askReason(
  { api, clock, card }: ModalParts,
  trigger: string,
  pressed: Pressed,
  from: From,
): Promise<Opened> {
  const read = await inTime(clock, AT_ONCE, card(pressed.proposal));
  if (read.is === 'there' && !read.value) return { is: 'gone' };
  const view = reasonView(pressed, from, read.is === 'there' ? read.value : undefined);
  const opened = await open(api, trigger, view);
  return opened.is === 'ok' ? OPEN : { is: 'failed', because: failureOf(opened) };
}

type Shown = { readonly view: ModalView; readonly opened: Opened };

/** Shows the details to a member of our workspace: at once, or in place of a modal that says that they are looked up. */
export async function showDetails(
  parts: ModalParts,
  trigger: string,
  { proposal }: Pressed,
  sender: { readonly who: Principal; readonly from: From },
): Promise<Opened> {
  const { api, clock } = parts;
  const reading = readDetails(parts, proposal, sender);
  const soon = await inTime(clock, AT_ONCE, reading);
  if (soon.is !== 'late') {
    const { view, opened } = shownOf(soon);
    const called = await open(api, trigger, view);
    return called.is === 'ok' ? opened : { is: 'failed', because: failureOf(called) };
  }
  const called = await open(api, trigger, loadingView());
  if (called.is !== 'ok') return { is: 'failed', because: failureOf(called) };
  const { view, opened } = shownOf(await inTime(clock, LATER, reading));
  const updated = await api.call('views.update', { view_id: called.value.view.id, view }, View);
  return updated.is === 'ok' ? opened : { is: 'failed', because: failureOf(updated) };
}

async function readDetails(
  { card, directory }: ModalParts,
  proposal: string,
  { who, from }: { readonly who: Principal; readonly from: From },
): Promise<Shown> {
  const [drawn, member] = await Promise.all([card(proposal), directory.isMember(who, from)]);
  if (member.is !== 'yes') {
    const because = `Only members of this workspace may read it: ${member.because}`;
    return { view: sorryView(because), opened: { is: 'foreign', because: member.because } };
  }
  if (!drawn) return { view: sorryView('This proposal is not there any more.'), opened: { is: 'gone' } };
  return { view: detailsView(drawn), opened: OPEN };
}

function shownOf(read: InTime<Shown>): Shown {
  if (read.is === 'there') return read.value;
  const because = read.is === 'failed' ? read.because : 'the record was not read in time';
  const view = sorryView('Gleaner cannot read the record at the moment. Try again in a minute.');
  return { view, opened: { is: 'failed', because } };
}
