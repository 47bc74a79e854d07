import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leanText } from './lean.ts';

const lean = (text: string) => leanText(Buffer.from(text));

/** Every `managedFields` array away, wherever it stands. */
function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => key !== 'managedFields' || !Array.isArray(member));
  return Object.fromEntries(kept.map(([key, member]) => [key, without(member)]));
}

describe('Lean JSON', () => {
  it.each([
    ['{"a":1,"managedFields":[{"f":{}}],"b":2}', '{"a":1,"b":2}'],
    ['{"a":1,"managedFields":[]}', '{"a":1}'],
    ['{"managedFields":[[1],[2]],"b":2}', '{"b":2}'],
    ['{"managedFields":["]\\"]"]}', '{}'],
    ['[{"managedFields":[1]},{"managedFields":[2]}]', '[{},{}]'],
    ['{"managedFields":{"a":1}}', '{"managedFields":{"a":1}}'],
    ['{"a":"\\"managedFields\\":[1]"}', '{"a":"\\"managedFields\\":[1]"}'],
    ['{"a":1,"managedFields":[1', '{"a":1,"managedFields":[1'],
  ])('of %s is %s', (given, expected) => {
    expect(lean(given)).toBe(expected);
  });

  it('is any JSON without its managedFields, and nothing else is lost', () => {
    const key = fc.oneof(fc.constantFrom('managedFields', 'metadata', '"managedFields":['), fc.string());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'binary' }),
        fc.constantFrom('"managedFields":[', '\\', '"', ']', '[', '{"managedFields":[1]}'),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));

    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        expect(JSON.parse(lean(text))).toEqual(without(JSON.parse(text)));
      }),
      { numRuns: 1_000 },
    );
  });
});
