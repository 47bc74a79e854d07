import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Json, kind, optional } from '../../../objects.ts';
import { projection } from './projection.ts';

const Thing = kind(
  { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: true },
  {
    spec: optional(z.object({ on: optional(z.boolean()), parts: optional(z.array(z.object({ name: z.string() }))) })),
    data: optional(z.record(z.string(), z.string())),
    any: optional(z.unknown()),
  },
);
const digestOf = projection(Thing.schema);

const text = fc.constantFrom('', 'a', 'b', 'true');
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const thing = fc.record({
  spec: maybe(
    fc.record({
      on: maybe(fc.oneof<fc.Arbitrary<Json>[]>(fc.boolean(), text)),
      parts: maybe(fc.array(fc.record({ name: text, noise: text }), { maxLength: 2 })),
      noise: text,
    }),
  ),
  data: maybe(fc.dictionary(text, text, { maxKeys: 2 })),
  any: maybe(fc.oneof<fc.Arbitrary<Json>[]>(fc.array(text, { maxLength: 2 }), text, fc.constant(null), fc.integer())),
  noise: text,
});
const whole = (part: object): Json =>
  JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, ...part }));

describe('The digest of what a schema reads', () => {
  it('is another one whenever the schema reads something else', () => {
    fc.assert(
      fc.property(thing, thing, (one, other) => {
        const [first, second] = [whole(one), whole(other)];
        const isSame = JSON.stringify(Thing.schema.safeParse(first)) === JSON.stringify(Thing.schema.safeParse(second));

        if (!isSame) expect(digestOf(first)).not.toBe(digestOf(second));
      }),
      { numRuns: 3_000 },
    );
  });

  it('stays whatever else changes', () => {
    const before = whole({ spec: { on: true, noise: 1 }, noise: 'x' });
    const after = whole({ spec: { noise: { deep: [1] }, on: true }, status: { heartbeat: '10:00' } });

    expect(digestOf(after)).toBe(digestOf(before));
  });

  it('takes all of an object of which a schema reads all', () => {
    const loose = projection(z.looseObject({ a: z.string() }));

    expect(loose({ a: 'x', b: 1 })).not.toBe(loose({ a: 'x', b: 2 }));
  });
});
