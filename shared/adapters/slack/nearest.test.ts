import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const IDS = ['3f9a1c2b7d10-aa12f3', '77e0d9c1b2a3-0c11de', '3f9a1c2b7e10-ff0000'];

it('Those that are like what was typed come first, also the beginning of one', () => {
  expect(nearest('3f9a1c2b7d10-aa12f4', IDS)[0]).toBe(IDS[0]);
  expect(nearest('77e0d9d1', IDS)).toEqual([IDS[1]]);
  expect(nearest('zzzzzzzz', IDS)).toEqual([]);
});

it('Whatever is typed is answered with at most three of the ids, and what is one of them with that one', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000 }), fc.constantFrom(...IDS), (typed, id) => {
      expect(nearest(typed, IDS).length).toBeLessThanOrEqual(3);
      expect(nearest(id, IDS)[0]).toBe(id);
    }),
    { seed: 20260115 },
  );
});
