/** `14:02:05 UTC`, or with its date where the other moment is of another day. */
function shown(at: Date, isSameDay: boolean): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return isSameDay ? `${time.slice(0, 8)} UTC` : `${day} ${time.slice(0, 8)} UTC`;
}

/** `from 14:02:05 UTC to 14:09:11 UTC`. What one clock wrote and another reads may lie the wrong way round. */
export function span(from: Date, to: Date): string {
  const begin = from <= to ? from : to;
  const isSameDay = begin.toISOString().slice(0, 10) === to.toISOString().slice(0, 10);
  return `from ${shown(begin, isSameDay)} to ${shown(to, isSameDay)}`;
}

/** `1 object`, `212 objects`. */
export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
