import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Json, JsonObject } from '../handler.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** What stands at a path of an object; undefined where the path ends early. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** The object at a path, `{}` where there is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

/** The list at a path, `[]` where there is none. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

/** The object with one top-level field set, or left out where `value` is undefined. */
export function withField(object: JsonObject, field: string, value: Json | undefined): JsonObject {
  const { [field]: _, ...rest } = object;
  return value === undefined ? rest : { ...rest, [field]: value };
}

/** The object with some fields of its metadata set; undefined takes a field away. */
export function withMetadata(object: JsonObject, fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const metadata = Object.entries(fields).reduce(
    (all, [field, value]) => withField(all, field, value),
    objectAt(object, 'metadata'),
  );
  return { ...object, metadata };
}

/** Whether two values say the same; the order of keys does not matter. */
export const same = (a: Json | undefined, b: Json | undefined) => isDeepStrictEqual(a, b);

/** Reads objects by a schema, each object once: stored objects never change, a write makes a new one. */
export function reader<S extends z.ZodType>(schema: S): (object: JsonObject) => z.infer<S> {
  const known = new WeakMap<JsonObject, z.infer<S>>();
  return (object) => {
    const read = known.get(object) ?? schema.parse(object);
    known.set(object, read);
    return read;
  };
}
