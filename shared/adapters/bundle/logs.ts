import type { Captured } from './look.ts';
import { linesOf } from './text.ts';
import type { Entry } from './tree.ts';

/** How much of the end of a log is read. */
const TAIL_BYTES = 8 * 1024 * 1024;

/** The collector of support bundles asks for timestamps: each line starts with one, in nanoseconds. */
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /;

/** Reads the ends of logs, keyed `namespace/pod/container`, and `… previous` for the last run's. */
export function logReader(logs: ReadonlyMap<string, Entry>, isStamped: boolean): Captured['log'] {
  return async (namespace, pod, container, previous, tail) => {
    const entry = logs.get(`${namespace}/${pod}/${container}${previous ? ' previous' : ''}`);
    if (!entry) return undefined;
    try {
      const lines = linesOf(await entry.tail(TAIL_BYTES));
      // The first line of a part may be the end of one.
      const whole = entry.size > TAIL_BYTES ? lines.slice(1) : lines;
      const last = tail > 0 ? whole.slice(-tail) : [];
      return isStamped ? last.map((line) => line.replace(STAMP, '')) : last;
    } catch {
      return undefined;
    }
  };
}
