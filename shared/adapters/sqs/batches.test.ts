import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, type Refusal, refusalOf, sendAll } from './batches.ts';

const NO: Refusal = { code: 'No', because: 'for good', again: false };
const LATER: Refusal = { code: 'Later', because: 'for now', again: true };

describe('Batches', () => {
  it('hold everything once, in order, at most ten and no more bytes than allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(120)), fc.integer({ min: 1, max: 300 }), (sizes, largest) => {
        const batches = batchesOf(sizes, { sizeOf: (size) => size, largest });

        expect(batches.flat()).toEqual(sizes);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(10);
          // What is too large alone goes alone.
          if (batch.length > 1) expect(batch.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(largest);
        }
      }),
      { seed: 1 },
    );
  });

  it('are sent until each entry is taken or refused for good, four times at most, each wait longer', async () => {
    const [sent, waits]: [string[][], number[]] = [[], []];
    const lasting = await sendAll(['taken', 'refused', 'busy'], {
      async send(batch) {
        sent.push([...batch]);
        return batch.map((item) => (item === 'taken' ? undefined : item === 'refused' ? NO : LATER));
      },
      pause: async (ms) => void waits.push(ms),
      ...{ sizeOf: () => 1, largest: 100, random: () => 0.5 },
    });

    expect(sent).toEqual([['taken', 'refused', 'busy'], ['busy'], ['busy'], ['busy']]);
    expect(waits).toEqual([75, 150, 300]);
    expect(lasting).toEqual([
      { item: 'refused', ...NO },
      { item: 'busy', ...LATER },
    ]);
  });

  it('lose nothing, however the service behaves (300 lives)', async () => {
    const fates = fc.array(fc.constantFrom('taken', 'later', 'no', 'throws'), { minLength: 200, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fates, async (count, each) => {
        const luck = each.values();
        const taken = new Set<number>();
        const items = Array.from({ length: count }, (_one, n) => n);
        const lasting = await sendAll(items, {
          async send(batch) {
            const said = batch.map((item) => ({ item, fate: luck.next().value ?? 'taken' }));
            if (said[0]?.fate === 'throws') throw new Error('no answer');
            for (const { item, fate } of said) if (fate === 'taken') taken.add(item);
            return said.map(({ fate }) => (fate === 'taken' ? undefined : fate === 'no' ? NO : LATER));
          },
          pause: async () => {},
          ...{ sizeOf: () => 1, largest: 100, random: () => 0.5 },
        });

        const told = lasting.map(({ item }) => item);
        expect([...taken, ...told].sort((a, b) => a - b)).toEqual(items);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe('What the SDK throws', () => {
  const thrown = (name: string, httpStatusCode?: number) =>
    Object.assign(new Error('said'), { name, $metadata: { httpStatusCode } });

  it.each([
    ['a throttled request', thrown('ThrottlingException', 400), true],
    ['a broken service', thrown('InternalException', 500), true],
    ['too many requests', thrown('Whatever', 429), true],
    ['no answer', thrown('TimeoutError'), true],
    ['a cut connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), true],
    ['a wrong clock', thrown('RequestExpired', 403), true],
    ['a missing right', thrown('AccessDeniedException', 403), false],
    ['a missing bus', thrown('ResourceNotFoundException', 400), false],
    ['a mistake of ours', new TypeError('x is not a function'), false],
    ['something that is no error', 'boo', false],
  ])('as %s is told apart from what passes', (_what, error, again) => {
    expect(refusalOf(error)).toMatchObject({ again });
  });
});
