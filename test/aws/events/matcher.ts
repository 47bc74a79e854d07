import * as z from 'zod';
import type { Json } from '../../../shared/handler.ts';
import { isObject, type JsonObject } from '../../../shared/objects.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
type Scalar = z.infer<typeof Scalar>;
const Texts = z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))]);

/** One alternative of a leaf, as far as this matcher goes. What it does not know, it refuses. */
const Alternative = z.union([
  Scalar,
  z.strictObject({ exists: z.boolean() }),
  z.strictObject({ prefix: z.string() }),
  z.strictObject({ suffix: z.string() }),
  z.strictObject({ 'anything-but': Texts }),
]);
type Alternative = z.infer<typeof Alternative>;

/** A value at a path, and the element that was taken of each array on the way: fields must agree about those. */
interface Place {
  readonly value: Json;
  readonly elements: ReadonlyMap<string, number>;
}

type Elements = ReadonlyMap<string, number>;

/**
 * Whether an event matches a pattern of EventBridge's, for tests' own bus: values, `exists`, `prefix`, `suffix`,
 * `anything-but`, `$or`. Fields of objects in an array must match in the same element, as in EventBridge.
 */
export function matches(pattern: Json, event: Json): boolean {
  return alternatives(pattern).some((leaves) => isMet(leaves, event, new Map()));
}

/** A field with what it may be. */
type Leaf = readonly [path: readonly string[], allowed: readonly Alternative[]];

/** `$or` multiplied out: each answer is a conjunction of fields. */
function alternatives(pattern: Json, path: readonly string[] = []): Leaf[][] {
  if (!isObject(pattern)) throw new Error(`Pattern at ${path.join('.')}: an object or a list is needed`);
  return Object.entries(pattern).reduce<Leaf[][]>(
    (sofar, [key, value]) => product(sofar, key === '$or' ? branches(value, path) : field(value, [...path, key])),
    [[]],
  );
}

const product = (left: Leaf[][], right: Leaf[][]) => left.flatMap((one) => right.map((other) => [...one, ...other]));

function branches(value: Json, path: readonly string[]): Leaf[][] {
  if (!Array.isArray(value)) throw new Error('$or needs a list of patterns');
  return value.flatMap((branch: Json) => alternatives(branch, path));
}

const field = (value: Json, path: readonly string[]): Leaf[][] =>
  Array.isArray(value) ? [[[path, z.array(Alternative).min(1).parse(value)]]] : alternatives(value, path);

/** Whether all fields can be met with one choice of array elements. */
function isMet([leaf, ...rest]: readonly Leaf[], event: Json, chosen: Elements): boolean {
  if (!leaf) return true;
  const [path, allowed] = leaf;
  const places = placesOf(event, path, new Map());
  if (places.length === 0) return allowed.some(isAbsence) && isMet(rest, event, chosen);
  return places.some(({ value, elements }) => {
    const both = agreed(chosen, elements);
    return both !== undefined && isAllowed(value, allowed) && isMet(rest, event, both);
  });
}

function agreed(one: Elements, other: Elements): Elements | undefined {
  for (const [path, index] of other) if ((one.get(path) ?? index) !== index) return undefined;
  return new Map([...one, ...other]);
}

/** Every scalar that stands at a path. An object there is no value. */
function placesOf(value: Json, path: readonly string[], elements: Elements, at = ''): Place[] {
  if (Array.isArray(value)) {
    return value.flatMap((each: Json, index) => placesOf(each, path, new Map([...elements, [at, index]]), at));
  }
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? [] : [{ value, elements }];
  const next = isObject(value) ? own(value, key) : undefined;
  return next === undefined ? [] : placesOf(next, rest, elements, `${at}.${key}`);
}

const own = (value: JsonObject, key: string) => (Object.hasOwn(value, key) ? value[key] : undefined);
const isAbsence = (one: Alternative) => typeof one === 'object' && one !== null && 'exists' in one && !one.exists;
const isAllowed = (value: Json, allowed: readonly Alternative[]) => allowed.some((one) => meets(value, one));

function meets(value: Json, one: Alternative): boolean {
  if (typeof one !== 'object' || one === null) return value === one;
  if ('exists' in one) return one.exists;
  if ('prefix' in one) return typeof value === 'string' && value.startsWith(one.prefix);
  if ('suffix' in one) return typeof value === 'string' && value.endsWith(one.suffix);
  const but: readonly Scalar[] = [one['anything-but']].flat();
  return !but.some((each) => each === value);
}
