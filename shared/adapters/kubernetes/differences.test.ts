import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../objects.ts';
import { differencesOf } from './differences.ts';

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 'a', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e', '0', 'toString'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Sets or removes what a difference says, at its pointer. */
function put(root: Json, path: string, after: Json | undefined): Json {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  if (last === undefined) return after ?? null;
  const parent = keys.reduce((value, key) => Object(value)[key], root);
  if (after === undefined) delete Object(parent)[last];
  else Object.defineProperty(parent, last, { value: after, enumerable: true, configurable: true, writable: true });
  return root;
}

describe('Differences', () => {
  it('turn what stood into what stands, and are none where nothing changed', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const from = { metadata: {}, spec: before };
        const to = { metadata: {}, spec: after };

        const found = differencesOf(from, to);
        const result = found.reduce<Json>((root, one) => put(root, one.path, one.after), structuredClone(from));

        expect(result).toEqual(to);
        expect(differencesOf(from, structuredClone(from))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('name what stood before, by JSON pointer', () => {
    const metadata = { name: 'a', labels: { 'x/y': '1' } };

    const found = differencesOf({ metadata }, { metadata: { ...metadata, labels: {}, generation: 2 } });

    expect(found).toEqual([{ path: '/metadata/labels/x~1y', before: '1' }]);
  });
});
