import type { KnownBlock } from '@slack/types';
import type { Card, CardStep } from '../../card.ts';
import type { Difference } from '../../model.ts';
import { commandBlock } from './asked.ts';
import { cut, inline } from './plain.ts';
import { block, bold, rich, says, section, words } from './rich.ts';

const DIFF = 2_000;
const LINES = 40;
const VALUE = 300;

/** One step of a plan: what and why, what the API server's dry run said that it would change, and the same by hand. */
export function stepPart(card: Card, step: CardStep, number: string): KnownBlock {
  const { record, what, note, kubectl, differences } = step;
  return rich(
    section(
      words(`${number}  `),
      bold(`${step.do} ${step.target}`, 250),
      ...(record ? [words('  '), says(`${record.is}: ${record.because}`, 400)] : []),
    ),
    section(says(step.because, 600)),
    ...(what === undefined ? [] : [section(bold('To do by hand'), words('  '), says(what, 1_200))]),
    ...(differences.length > 0
      ? [section(words('The dry run would change')), block(diffText(card, differences), DIFF)]
      : []),
    ...(note === undefined ? [] : [section(says(`Dry run: ${note}`, 600))]),
    ...(kubectl === undefined ? [] : [section(words('By hand')), commandBlock(card, kubectl, 1_000)]),
  );
}

/** As in a patch: what goes begins with a minus, what comes with a plus. */
function diffText({ proposal }: Card, differences: readonly Difference[]): string {
  const lines = differences.flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [`- ${cut(inline(path), 200)}: ${shown(before)}`]),
    ...(after === undefined ? [] : [`+ ${cut(inline(path), 200)}: ${shown(after)}`]),
  ]);
  const first = lines.slice(0, LINES);
  let text = '';
  for (const [index, line] of first.entries()) {
    const more = lines.length - index;
    if (text.length + line.length > DIFF - 200 || (index === LINES - 1 && more > 1))
      return `${text}… ${more} more lines: gleaner show ${proposal.id}`;
    text += `${line}\n`;
  }
  return text;
}

/** A value never begins a line: it could pose as another difference. */
const shown = (value: Difference['before']) => cut(inline(JSON.stringify(value) ?? ''), VALUE);
