import type { RichTextElement } from '@slack/types';
import type { Card } from '../../card.ts';
import type { Stage } from '../../model.ts';
import { type Message, message } from './blocks.ts';
import { bold, person, rich, says, section, sentence, words } from './rich.ts';
import { clock } from './standing.ts';

const SHOWN = 15;

/** What the timeline calls a stage, in words; what it calls otherwise is shown as it is. */
const TITLES: Readonly<Record<string, string>> = {
  open: 'Proposed',
  approval: 'Approved, others must too',
  approved: 'Approved',
  applying: 'Applying',
  applied: 'Applied',
  done: 'Done by hand',
  again: 'Asked to look again',
  fixed: 'Fixed',
  failed: 'Failed',
  unknown: 'Outcome unknown',
  rejected: 'Rejected',
  snoozed: 'Snoozed',
  expired: 'Expired',
  superseded: 'Superseded',
  stale: 'Stale',
  withdrawn: 'Gone by itself',
  reverted: 'Undone',
  reminded: 'Reminder',
  taken: 'In hand',
  undo: 'Asked to undo',
};

const titleOf = (is: string) =>
  (Object.hasOwn(TITLES, is) ? TITLES[is] : undefined) ?? `${is.slice(0, 1).toUpperCase()}${is.slice(1)}`;

/** One or more stages of a proposal's timeline as one message of its thread, the oldest first. */
export function threadMessage(card: Card, stages: readonly Stage[]): Message {
  const shown = stages.slice(-SHOWN);
  const left = stages.length - shown.length;
  const lines = shown.map(({ at, is, who, because }) =>
    section(words(`${clock(at)}  `), bold(titleOf(is), 60), words('  '), ...attributed(because, who)),
  );
  const before = left > 0 ? [section(says(`${left} earlier stages: gleaner show ${card.proposal.id}`, 200))] : [];
  const last = shown.at(-1);
  const text = last ? `${titleOf(last.is)}: ${withoutWho(last)}` : card.title;
  const empty = lines.length === 0 ? [section(says(card.proposal.because, 500))] : [];
  return message(`${card.clusterName}: ${text}`, [rich(...before, ...lines, ...empty)]);
}

/** A notification cannot show who a principal is. */
const withoutWho = ({ who, because }: Stage) =>
  who !== undefined && because.startsWith(who) ? because.slice(who.length).replace(/^[\s:;,]+/, '') : because;

/** The record's own sentences begin with who did it; what else was done by somebody ends with it. */
function attributed(because: string, who: Stage['who']): RichTextElement[] {
  const said = sentence(because, who, 500);
  return who === undefined || said.length > 1 ? said : [...said, words(', by '), person(who)];
}
