import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, JsonValue } from '../../handler.ts';
import { at } from '../json.ts';
import { jsonPatched, merged, strategicallyMerged } from './patches.ts';
import { Refusal } from './status.ts';

/** JSON without null, which a merge patch cannot write. */
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.string());
const tree: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree);
const unlike = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value));

describe('a merge patch', () => {
  it('applied twice is as applied once', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        expect(merged(merged(target, patch), patch)).toEqual(merged(target, patch));
      }),
    );
  });

  it('never changes its target', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = unlike(target);
        merged(target, patch);
        expect(target).toEqual(before);
      }),
    );
  });

  it('takes a field away by null and replaces lists as a whole', () => {
    expect(merged({ a: 1, b: [1, 2], c: { d: 1 } }, { a: null, b: [3], c: { e: {} } })).toEqual({
      b: [3],
      c: { d: 1, e: {} },
    });
  });
});

describe('a JSON patch', () => {
  it('that fails at any place leaves its target as it was', () => {
    fc.assert(
      fc.property(
        object,
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), leaf), { maxLength: 5 }),
        (target, adds) => {
          const before = unlike(target);
          const operations = adds.map(([key, value]) => ({ op: 'add', path: `/${key}`, value }));

          expect(() => jsonPatched(target, [...operations, { op: 'test', path: '/a', value: 'never this' }])).toThrow(
            Refusal,
          );
          expect(target).toEqual(before);
        },
      ),
    );
  });

  it('finds names with slashes and tildes', () => {
    const target = { metadata: { annotations: { 'a.b/c~d': 'old' } } };

    const changed = jsonPatched(target, [{ op: 'replace', path: '/metadata/annotations/a.b~1c~0d', value: 'new' }]);

    expect(at(changed, 'metadata', 'annotations', 'a.b/c~d')).toBe('new');
  });

  it('of anything but a list of operations is refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (patch) => {
        fc.pre(!(Array.isArray(patch) && patch.length === 0));
        expect(() => jsonPatched({}, JsonValue.parse(patch))).toThrow(Refusal);
      }),
    );
  });
});

it('a strategic merge patch merges conditions by their type and replaces other lists', () => {
  const target = {
    status: {
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'B', status: 'True' },
      ],
    },
    taints: [1],
  };
  const patch = { status: { conditions: [{ type: 'B', status: 'False' }] }, taints: [2] };

  expect(strategicallyMerged(target, patch)).toEqual({
    status: {
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'B', status: 'False' },
      ],
    },
    taints: [2],
  });
});
