import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { isLease, isOf, leased, marked } from './mark.ts';

const Time = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00.000Z') });

it('A marked moment is the same moment, whatever the mark, and known to the event that wrote it alone', () => {
  fc.assert(
    fc.property(Time, fc.uuid(), fc.uuid(), (time, event, other) => {
      for (const written of [marked(time, event), leased(time, event)]) {
        expect(Date.parse(written)).toBe(time);
        expect(z.iso.datetime().safeParse(written).success).toBe(true);
        expect(isOf(written, event)).toBe(true);
        // One in a hundred thousand is mistaken for its own, which makes one delivery more.
        fc.pre(event !== other && !isOf(marked(time, other), event));
        expect(isOf(written, other)).toBe(false);
      }
      expect([isLease(marked(time, event)), isLease(leased(time, event))]).toEqual([false, true]);
    }),
    { seed: 20260115 },
  );
});

it('A moment without a mark is nobody’s', () => {
  expect(isOf('2026-01-15T12:00:00.000Z', 'e')).toBe(false);
  expect(isLease('2026-01-15T12:00:00.000Z')).toBe(false);
});
