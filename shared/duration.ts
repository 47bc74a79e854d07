/** A span of time as operators write it: `30s`, `5m`, `24h`, `2d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`;

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration. Throws a RangeError for text that is none, such as `5 minutes`. */
export function milliseconds(duration: Duration | string): number {
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(duration);
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined)
    throw new RangeError(`"${duration}" is not a duration: write a number and s, m, h or d, such as 5m`);
  return Number(match[1]) * unit;
}

/** Whether `text` reads as a duration. */
export const isDuration = (text: string): text is Duration => /^\d+(?:\.\d+)?[smhd]$/.test(text);

/** A span in words for people, in its two largest units: `2 h 5 min`. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
