import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock/manual.ts';
import { replays } from './replays.ts';

describe('A request', () => {
  it('is new once in ten minutes', () => {
    const clock = manualClock('2026-01-15T12:00:00Z');
    const seen = replays(clock);

    expect(seen.isNew('a')).toBe(true);
    clock.advance(600_000);
    expect(seen.isNew('a')).toBe(false);
    clock.advance(1);
    expect(seen.isNew('a')).toBe(true);
  });

  it('is forgotten before its time only where a flood of others came', () => {
    const seen = replays(manualClock('2026-01-15T12:00:00Z'));
    seen.isNew('first');
    for (let nth = 1; nth < 60_000; nth++) seen.isNew(`request ${nth}`);

    expect(seen.isNew('request 1')).toBe(false);
    seen.isNew('one more');

    expect(seen.isNew('first')).toBe(true);
  });
});
