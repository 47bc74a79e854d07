import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lines } from './lines.ts';

describe('Lines', () => {
  it('are the same, however the stream is cut into chunks', () => {
    const text = fc.array(fc.string({ unit: 'binary', maxLength: 30 }).map((one) => one.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (given, sizes) => {
        const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''));
        const heard: string[] = [];
        const split = lines((line) => heard.push(line.toString()), 1_000);

        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          split.push(bytes.subarray(at, at + size));
          at += size;
        }

        expect(heard).toEqual(given.map((line) => Buffer.from(line).toString()).filter((line) => line !== ''));
        expect(split.rest()).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('tell how much of a line has no end yet', () => {
    const split = lines(() => {}, 100);

    split.push(Buffer.from('one\ntw'));

    expect(split.rest()).toBe(2);
  });

  it.each([[['x'.repeat(11)]], [['x'.repeat(6), 'x'.repeat(6)]], [[`${'x'.repeat(11)}\n`]]])(
    'refuse a line of more bytes than are allowed',
    (chunks) => {
      const split = lines(() => {}, 10);

      expect(() => chunks.forEach((chunk) => void split.push(Buffer.from(chunk)))).toThrow(RangeError);
    },
  );
});
