import { isObject, type Json, type JsonObject } from '../../handler.ts';

/** Kubernetes' times: RFC 3339 in UTC, to the second or to the microsecond. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Keys that hold when something happened; a deletion's, a certificate's or a schedule's time may lie ahead. */
const isPast = (key: string) =>
  /(?:Time|Timestamp|At)$|^time$/.test(key) && !/^(?:deletion|next|not|expir|renewal|valid)/i.test(key);

/** The moment that a text names; undefined where it names none. */
export function momentOf(text: Json | undefined): Date | undefined {
  if (typeof text !== 'string' || !TIME.test(text)) return undefined;
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

export const later = (a: Date | undefined, b: Date | undefined) => (a && b ? (a > b ? a : b) : (a ?? b));

/** How deep a status is searched: `status.containerStatuses[].state.running.startedAt`. */
const DEPTH = 6;

/**
 * The newest time, to the second, that objects tell of themselves: when they were made, changed, renewed, and what
 * their status says. Only fields are read, never texts inside of them, for whoever writes an annotation could shift the
 * picture's time.
 */
export function newestOf(objects: Iterable<JsonObject>): Date | undefined {
  let newest = '';
  for (const { metadata, spec, status } of objects) {
    newest = newestIn(status, DEPTH, newest);
    if (isObject(spec)) newest = newer(spec.acquireTime, newer(spec.renewTime, newest));
    if (!isObject(metadata)) continue;
    newest = newer(metadata.creationTimestamp, newest);
    const changes = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
    for (const change of changes) if (isObject(change)) newest = newer(change.time, newest);
  }
  return momentOf(newest);
}

/** Times in UTC sort as texts do, which spares reading all but a few of them. */
const newer = (text: Json | undefined, newest: string) =>
  typeof text === 'string' && text > newest && text.endsWith('Z') && momentOf(text) ? text : newest;

function newestIn(value: Json | undefined, depth: number, newest: string): string {
  if (depth < 0 || typeof value !== 'object' || value === null) return newest;
  if (!isObject(value)) return value.reduce<string>((best, item) => newestIn(item, depth - 1, best), newest);
  let best = newest;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner !== 'string') best = newestIn(inner, depth - 1, best);
    else if (inner > best && isPast(key)) best = newer(inner, best);
  }
  return best;
}
