/** One line of the bench: what was measured, beside what, and whether the aim holds. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  /** What it is compared with in the same run, measured the same way; `-` where the aim is an absolute one. */
  readonly beside: string;
  readonly ratio?: number;
  readonly aim: string;
  readonly holds: boolean;
}

const COLUMNS = ['what', 'measured', 'beside', 'ratio', 'aim', 'holds?'];

/** The rows as one table of plain text. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [COLUMNS, ...rows.map(cellsOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '));
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('-|-'), ...lines.slice(1)].join('\n');
}

const cellsOf = ({ what, measured, beside, ratio, aim, holds }: Row): string[] => [
  ...[what, measured, beside, ratio === undefined ? '-' : ratio.toFixed(2), aim],
  holds ? 'yes' : 'NO',
];

/** The value below which the given part (0 to 1) of the measurements lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const ms = (value: number): string => `${value.toFixed(1)} ms`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;
