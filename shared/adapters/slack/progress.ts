import type { RichTextSection } from '@slack/types';
import type { Card, CardStep } from '../../card.ts';
import type { StepRecord } from '../../model.ts';
import { may, type Part } from './fit.ts';
import { bold, rich, says, section, words } from './rich.ts';

/** How many steps are shown before and after the one that runs. */
const AROUND = 3;

const MARKS: Readonly<Record<StepRecord['is'], string>> = {
  started: '▸',
  waiting: '▸',
  done: '✓',
  'already-so': '✓',
  failed: '✗',
  unknown: '?',
};

/** How far a run has come, step by step; of many the ones around the present one. A single step says nothing more. */
export function progress({ proposal, plans }: Card): Part[] {
  const plan = plans.find(({ id }) => id === proposal.plan);
  if (!plan || plan.steps.length < 2 || !['applying', 'failed', 'unknown'].includes(proposal.state)) return [];
  const { steps, recovery, failed } = proposal.run;
  const goesOn = proposal.state === 'applying' && failed === undefined;
  return [
    ...list('Steps', plan.steps, steps.length, goesOn),
    ...(recovery.length > 0 ? list('Put back', plan.onFailure, recovery.length, true) : []),
  ];
}

function list(title: string, steps: readonly CardStep[], present: number, goesOn: boolean): Part[] {
  const first = Math.max(0, Math.min(present - 1 - AROUND, steps.length - 2 * AROUND - 1));
  const end = goesOn ? first + 2 * AROUND + 1 : present;
  const shown = steps.slice(first, end);
  const left = steps.length - first - shown.length;
  const head = section(bold(title), ...(first > 0 ? [words(`  ${first} before these are done`)] : []));
  const tail = left > 0 ? [section(words(goesOn ? `and ${left} more` : `${left} more were not begun`))] : [];
  return [may(rich(head, ...shown.map((step, index) => stepLine(step, first + index + 1)), ...tail))];
}

/** What is done and what is to come are named; what runs or went wrong says why. */
function stepLine({ do: verb, target, record }: CardStep, number: number): RichTextSection {
  const isQuiet = record === undefined || record.is === 'done' || record.is === 'already-so';
  const said = isQuiet ? [] : [words(': '), says(record.because, 200)];
  return section(
    words(`${record ? MARKS[record.is] : '·'}  ${number}  `),
    bold(verb, 30),
    words(' '),
    says(target, 120),
    ...said,
  );
}
