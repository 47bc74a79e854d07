import { styleText } from 'node:util';

/** Where a command writes: `width` in columns; without `colours` for files, pipes and who asked for none. */
export interface Terminal {
  readonly width: number;
  readonly colours: boolean;
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

export const styled = (terminal: Terminal, style: Style | Style[], text: string) =>
  terminal.colours ? styleText(style, text, { validateStream: false }) : text;

/**
 * A text of the cluster as a terminal may show it: names, messages and annotations are whatever somebody wrote, and
 * an escape sequence or a change of direction could draw over what stands above it.
 */
export const harmless = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** Breaks a text at spaces; a word longer than a line is cut where the line ends. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of harmless(text).split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length <= width) {
      line = `${line} ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width));
    line = rest;
  }
  return [...lines, line];
}

/** Lines behind a label of at most `labels` columns, all of them indented as deep, `hang` deeper from the second on: everything below a headline. */
export function labelled(
  terminal: Terminal,
  label: string,
  text: string,
  { indent = 3, hang = 0, labels = 11 } = {},
): string[] {
  const column = indent + labels;
  const [first = '', ...rest] = wrap(text, Math.max(30, terminal.width - column - hang));
  return [
    `${' '.repeat(indent)}${styled(terminal, 'dim', label.padEnd(column - indent))}${first}`,
    ...rest.map((line) => `${' '.repeat(column + hang)}${line}`),
  ];
}
