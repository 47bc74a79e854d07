import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { shiftedClock } from './shifted-clock.ts';

describe('the clock of the journeys', () => {
  it('runs what falls due when it is pushed ahead, in its order, and what was called off never', () => {
    const wall = manualClock('2026-01-15T12:00:00.000Z');
    const clock = shiftedClock(wall);
    const seen: string[] = [];
    clock.after(60_000, () => seen.push('minute'));
    clock.after(30_000, () => seen.push('half'));
    clock.after(300_000, () => seen.push('late'));
    clock.after(10_000, () => seen.push('called off'))();

    clock.advance(90_000);
    wall.advance(1);

    expect(seen).toEqual(['half', 'minute']);
    expect(clock.now().toISOString()).toBe('2026-01-15T12:01:30.001Z');
    wall.advance(210_000);
    expect(seen).toEqual(['half', 'minute', 'late']);
  });
});
