const MOST = 3;

/** Those of the ids that are most like what was typed, the likest first; none that has little in common with it. */
export function nearest(typed: string, ids: readonly string[]): string[] {
  const short = typed.slice(0, 40);
  return ids
    .map((id) => ({ id, distance: Math.min(distance(short, id), distance(short, id.slice(0, short.length))) }))
    .filter(({ distance: far }) => far <= Math.max(1, short.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ id }) => id);
}

/** How many characters must be put in, left out or changed to make one of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? a.length;
}
