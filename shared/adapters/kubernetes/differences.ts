import { isObject, type Json, type JsonObject } from '../../objects.ts';
import type { Difference } from '../../proposal.ts';

/** An object without what every write changes and no person decides on. */
export function essence(object: JsonObject): JsonObject {
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _fields,
    ...metadata
  } = Object(object.metadata);
  return { ...object, metadata };
}

/**
 * What a write would change, by JSON pointer; `before` or `after` is absent where nothing stood or would stand. An
 * array that grows or shrinks is one difference: its indexes would name other elements before and after.
 */
export function differencesOf(before: JsonObject, after: JsonObject): Difference[] {
  const found: Difference[] = [];
  compare(essence(before), essence(after), '', found);
  return found;
}

function compare(before: Json | undefined, after: Json | undefined, path: string, found: Difference[]): void {
  const keys = sharedKeys(before, after);
  if (keys)
    for (const key of keys) compare(memberOf(before, key), memberOf(after, key), `${path}/${escaped(key)}`, found);
  else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
  }
}

/** The keys or indexes under which two values are compared one by one; undefined where they are compared as a whole. */
function sharedKeys(before: Json | undefined, after: Json | undefined): Iterable<string> | undefined {
  if (isObject(before) && isObject(after)) return new Set([...Object.keys(before), ...Object.keys(after)]);
  const isSameLength = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  return isSameLength ? Object.keys(before) : undefined;
}

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  Object.hasOwn(Object(value), key) ? Object(value)[key] : undefined;

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
