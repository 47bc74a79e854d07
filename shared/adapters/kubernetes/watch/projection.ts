import * as z from 'zod';
import { isObject, type Json } from '../../../objects.ts';

/** Mixes one part of an object into the digest that is being made. */
type Mix = (value: Json | undefined) => void;

/** The two halves of the digest that is being made, after cyrb53 (https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js, public domain). */
let [a, b] = [0, 0];

/** What begins or ends a part, and where one is missing. */
const [MISSING, OBJECT, OTHER, YES, NO, NUMBER] = [0x20000, 0x20001, 0x20002, 0x20003, 0x20004, 0x20005];
const [LENGTH, ARRAY] = [0x1000000, 0x2000000];

function mixNumber(number: number): void {
  a = Math.imul(a ^ number, 2654435761);
  b = Math.imul(b ^ number, 1597334677);
  a ^= a >>> 15;
  b ^= b >>> 13;
}

/** Two characters at a time, in local variables: this loop is most of what a digest costs. */
function mixText(text: string): void {
  let [x, y] = [a, b];
  const even = text.length & ~1;
  for (let i = 0; i < even; i += 2) {
    const pair = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    x = Math.imul(x ^ pair, 2654435761);
    y = Math.imul(y ^ pair, 1597334677);
    // A product carries a difference only upwards: without this one in the last bits would stay there.
    x ^= x >>> 15;
    y ^= y >>> 13;
  }
  a = x;
  b = y;
  if (even < text.length) mixNumber(text.charCodeAt(even));
  mixNumber(LENGTH + text.length);
}

/** Any value, whole. */
const mixAny: Mix = (value) => {
  if (typeof value === 'string') mixText(value);
  else if (value === undefined) mixNumber(MISSING);
  else if (typeof value === 'boolean') mixNumber(value ? YES : NO);
  else if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31) {
    mixNumber(NUMBER);
    mixNumber(value);
  } else {
    mixNumber(OTHER);
    mixText(JSON.stringify(value));
  }
};

/**
 * A 53-bit digest of the part of an object that a kind's schema reads: while it stays, nothing that a rule could see
 * has changed. It costs a tenth of what the schema costs itself, and most changes of an object are none to any rule.
 */
export function projection(schema: z.ZodType): (object: Json) => number {
  const mix = mixOf(schema);
  return (object) => {
    a = 0xdeadbeef;
    b = 0x41c6ce57;
    mix(object);
    return finished();
  };
}

/** The 53-bit digest of a text. */
export function digest(text: string): number {
  a = 0xdeadbeef;
  b = 0x41c6ce57;
  mixText(text);
  return finished();
}

function finished(): number {
  const high = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  const low = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}

/** What a schema reads of a value. A schema that is not known to read less reads all of it. */
function mixOf(schema: unknown): Mix {
  if (schema instanceof z.ZodObject) return schema.def.catchall === undefined ? mixMembers(schema.shape) : mixAny;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return mixOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return mixOf(schema.in);
  if (schema instanceof z.ZodArray) return mixElements(mixOf(schema.element));
  if (schema instanceof z.ZodRecord) return mixEntries(mixOf(schema.valueType));
  return mixAny;
}

function mixMembers(shape: Readonly<Record<string, unknown>>): Mix {
  const members = Object.entries(shape).map(([key, schema]) => ({ key, mix: mixOf(schema) }));
  return (value) => {
    if (!isObject(value)) return mixAny(value);
    mixNumber(OBJECT);
    for (const { key, mix } of members) mix(value[key]);
  };
}

function mixEntries(mix: Mix): Mix {
  return (value) => {
    if (!isObject(value)) return mixAny(value);
    mixNumber(OBJECT);
    for (const key in value) {
      mixText(key);
      mix(value[key]);
    }
  };
}

function mixElements(mix: Mix): Mix {
  return (value) => {
    if (!Array.isArray(value)) return mixAny(value);
    mixNumber(ARRAY + value.length);
    for (const element of value) mix(element);
  };
}
