import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, fitted } from './fit.ts';

const object = { apiVersion: 'v1', kind: 'Node', name: 'node1' };
const Size = fc.integer({ min: 0, max: 20_000 });

describe('fitted', () => {
  it('holds whatever the cluster shows to what an event can carry', () => {
    fc.assert(
      fc.property(fc.array(Size, { maxLength: 400 }), fc.array(Size, { maxLength: 400 }), (seen, differing) => {
        const evidence = seen.map((size) => ({ object, field: 'f', value: 'x'.repeat(size), because: 'seen' }));
        const differences = differing.map((size) => ({
          path: '/f',
          before: 'x'.repeat(size),
          after: ['y'.repeat(size)],
        }));
        const runs = { mend: [{ is: 'would-change' as const, differences }] };

        expect(JSON.stringify(fitted({ evidence }, runs)).length).toBeLessThan(150_000);
      }),
      { numRuns: 30 },
    );
  });

  it('leaves small values as they are', () => {
    const found = { evidence: [{ object, field: 'f', value: { a: [1, null] }, because: 'seen' }] };
    const runs = {
      mend: [
        { is: 'would-change' as const, differences: [{ path: '/f', after: true }] },
        { is: 'blocked' as const, because: 'no' },
      ],
    };

    expect(fitted(found, runs)).toEqual({ found, dryRuns: runs });
  });

  it('marks a sentence that it cut', () => {
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('abcd', 4)).toBe('abcd');
  });
});
