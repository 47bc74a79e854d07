import { isObject, type Json, type JsonObject } from '../../handler.ts';

/**
 * Undoes what the support bundle's collector does to the JSON before it writes YAML: `"key":null,` becomes
 * `"key":"null",` (also inside of JSON in a string), and every `""` becomes `"null"`, also the one that a string's
 * escaped last quote and its closing quote make. (rancher/support-bundle-kit, pkg/manager/collectors/common.go,
 * toObjCommon.) Which of the two a "null" was cannot be told: it is read as an empty string, and by `repaired` as null
 * where a kind's schema has no place for a string.
 */
export function unmangled(value: Json): Json {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(unmangled);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unmangled(inner)]));
}

function text(value: string): string {
  if (value === 'null') return '';
  if (value.endsWith('"null')) return value.slice(0, -'null'.length);
  return value.startsWith('{') || value.startsWith('[') ? value.replace(/("[a-zA-Z]+":)"null",/g, '$1null,') : value;
}

/** A copy in which the empty strings at those places are null; undefined where one of them holds anything else. */
export function repaired(object: JsonObject, places: readonly (readonly PropertyKey[])[]): Json | undefined {
  let whole: Json | undefined = object;
  for (const place of places) whole = whole === undefined ? undefined : emptied(whole, place);
  return whole;
}

function emptied(value: Json, [key, ...rest]: readonly PropertyKey[]): Json | undefined {
  if (key === undefined) return value === '' ? null : undefined;
  if (Array.isArray(value)) {
    const inner = emptied(value[Number(key)] ?? null, rest);
    return inner === undefined ? undefined : value.with(Number(key), inner);
  }
  if (!isObject(value)) return undefined;
  const inner = emptied(value[String(key)] ?? null, rest);
  return inner === undefined ? undefined : { ...value, [String(key)]: inner };
}
