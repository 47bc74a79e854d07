import { isObject, type Json, type JsonObject, JsonValue } from '../../../../shared/objects.ts';

/** A value as it arrives when it is sent as JSON: fields of `undefined` are gone. */
export const wire = (value: unknown): Json | undefined =>
  value === undefined ? undefined : JsonValue.parse(JSON.parse(JSON.stringify(value)));

/** Every object inside a JSON value, outermost first, with its JSON pointer. */
export function* objectsIn(json: Json | undefined, at = ''): Generator<{ at: string; object: JsonObject }> {
  if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) yield* objectsIn(item, `${at}/${index}`);
  } else if (isObject(json)) {
    yield { at, object: json };
    for (const [key, value] of Object.entries(json)) yield* objectsIn(value, `${at}/${key}`);
  }
}

/** The string under a key, or undefined. */
export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

/** The objects of an array under a key; none where it is something else. */
export function objectsAt(object: JsonObject, key: string): JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
