import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selects } from './budgets.ts';
import { quantity } from './room.ts';

const SEED = 7729;
const label = fc.constantFrom('app', 'tier', 'role');
const value = fc.constantFrom('a', 'b', 'c');
const labels = fc.dictionary(label, value, { maxKeys: 3 });

describe('a label selector', () => {
  it('selects all labels that it was made of, and nothing once one of them differs', () => {
    fc.assert(
      fc.property(labels, labels, label, (own, more, key) => {
        const selector = { matchLabels: own, matchExpressions: undefined };

        expect(selects(selector, { ...more, ...own })).toBe(true);
        if (key in own) expect(selects(selector, { ...more, ...own, [key]: 'other' })).toBe(false);
      }),
      { seed: SEED },
    );
  });

  it('says the opposite for each pair of opposite operators', () => {
    fc.assert(
      fc.property(labels, label, fc.array(value), (has, key, values) => {
        const ask = (operator: string) =>
          selects({ matchLabels: {}, matchExpressions: [{ key, operator, values }] }, has);

        expect(ask('In')).toBe(!ask('NotIn'));
        expect(ask('Exists')).toBe(!ask('DoesNotExist'));
      }),
      { seed: SEED },
    );
  });

  it('selects everything where it is empty, and nothing where there is none', () => {
    expect(selects({ matchLabels: {}, matchExpressions: undefined }, { app: 'a' })).toBe(true);
    expect(selects(undefined, { app: 'a' })).toBe(false);
  });
});

describe('a quantity', () => {
  it.each([
    ['5m', 0.005],
    ['500Mi', 524_288_000],
    ['16336244Ki', 16_728_313_856],
    ['64Gi', 68_719_476_736],
    ['1e3', 1000],
    ['2', 2],
    [16, 16],
    ['1.5G', 1_500_000_000],
  ])('%s is %d', (text, wanted) => {
    expect(quantity(text)).toBeCloseTo(wanted, 6);
  });

  it.each(['', 'much', '5 Mi', '-1', '5Qi', undefined])('%s is none', (text) => {
    expect(quantity(text)).toBeUndefined();
  });
});
