import { labelled, styled, type Terminal } from './terminal.ts';

/** One thing that a doctor looked at. */
export interface Finding {
  readonly is: 'good' | 'bad' | 'unsure';
  readonly what: string;
  readonly because: string;
}

const MARKS = { good: ['ok', 'green'], bad: ['WRONG', 'red'], unsure: ['unknown', 'yellow'] } as const;

/** What a doctor found, one thing a line, and what it comes to. */
export function shownFindings(findings: readonly Finding[], terminal: Terminal): string {
  const width = Math.max(...findings.map(({ what }) => what.length), 0) + 2;
  const lines = findings.flatMap(({ is, what, because }) => {
    const [mark, colour] = MARKS[is];
    const [first = '', ...rest] = labelled(terminal, what, because, { indent: 0, labels: Math.min(width, 32) });
    return [
      `${styled(terminal, ['bold', colour], mark.padEnd(8))}${first}`,
      ...rest.map((line) => `${' '.repeat(8)}${line}`),
    ];
  });
  const count = (is: Finding['is']) => findings.filter((one) => one.is === is).length;
  const wrong = count('bad');
  const unknown = count('unsure');
  const verdict =
    wrong > 0
      ? `${wrong} to fix${unknown > 0 ? `, ${unknown} not known` : ''}`
      : unknown > 0
        ? `nothing is known to be wrong, ${unknown} could not be looked at`
        : 'all is well';
  return `${[...lines, '', styled(terminal, 'bold', verdict)].join('\n')}\n`;
}

/** 0: all is well; 1: something is to be fixed; 2: something could not be looked at. */
export const exitOf = (findings: readonly Finding[]): number =>
  findings.some(({ is }) => is === 'bad') ? 1 : findings.some(({ is }) => is === 'unsure') ? 2 : 0;
