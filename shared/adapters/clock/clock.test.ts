import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type ManualClock, manualClock } from './manual.ts';
import { scaledClock } from './scaled.ts';
import { systemClock } from './system.ts';

const START = '2026-01-15T12:00:00.000Z';

describe('The clock that a test owns', () => {
  it('stands still until it is told, then runs what fell due in order, each at its own moment', () => {
    const clock = manualClock(START);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name} ${clock.now().toISOString().slice(14, 19)}`);
    clock.after(3_000, note('c'));
    clock.after(1_000, () => {
      note('a')();
      clock.after(1_000, note('b'));
    });
    clock.after(9_000, note('late'));
    const cancel = clock.after(2_000, note('cancelled'));
    cancel();

    expect(clock.now().toISOString()).toBe(START);
    clock.advance(5_000);

    expect(seen).toEqual(['a 00:01', 'b 00:02', 'c 00:03']);
    expect(clock.now().toISOString()).toBe('2026-01-15T12:00:05.000Z');
  });
});

describe('The clock that runs faster than life', () => {
  it('lets a minute pass in a second at sixty times the speed', () => {
    const wall = manualClock('2030-06-01T00:00:00.000Z');
    const clock = scaledClock(new Date(START), 60, wall);
    const fired = vi.fn();
    clock.after(60_000, fired);

    wall.advance(999);
    expect(fired).not.toHaveBeenCalled();
    wall.advance(1);

    expect(fired).toHaveBeenCalledOnce();
    expect(clock.now().toISOString()).toBe('2026-01-15T12:01:00.000Z');
  });

  it('neither jumps nor loses a timer when its speed changes', () => {
    const wall = manualClock('2030-06-01T00:00:00.000Z');
    const clock = scaledClock(new Date(START), 10, wall);
    const [fired, cancelled] = [vi.fn(), vi.fn()];
    clock.after(100_000, fired);
    const cancel = clock.after(50_000, cancelled);

    wall.advance(1_000);
    clock.run(90);
    cancel();
    expect(clock.speed()).toBe(90);
    expect(clock.now().toISOString()).toBe('2026-01-15T12:00:10.000Z');
    wall.advance(999);
    expect(fired).not.toHaveBeenCalled();
    wall.advance(1);

    expect(fired).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  });

  it('never fires before its time, though the timer beneath it fires early', () => {
    const wall = manualClock('2030-06-01T00:00:00.000Z');
    const hasty = { now: wall.now, after: (ms: number, then: () => void) => wall.after(Math.max(1, ms - 1), then) };
    const clock = scaledClock(new Date(START), 60, hasty);
    let at = 0;
    clock.after(60_000, () => {
      at = clock.now().getTime();
    });

    wall.advance(2_000);

    expect(at).toBeGreaterThanOrEqual(Date.parse(START) + 60_000);
  });

  it('fires every timer once, never early, whatever its speed does meanwhile', () => {
    const Act = fc.oneof(
      fc.record({ after: fc.integer({ min: 0, max: 100_000 }) }),
      fc.record({ run: fc.integer({ min: 1, max: 500 }) }),
      fc.record({ advance: fc.integer({ min: 1, max: 2_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(Act, { maxLength: 40 }), (acts) => {
        const wall: ManualClock = manualClock('2030-06-01T00:00:00.000Z');
        const clock = scaledClock(new Date(START), 20, wall);
        const timers: { due: number; fired: number[] }[] = [];
        for (const act of acts) {
          if ('advance' in act) wall.advance(act.advance);
          else if ('run' in act) clock.run(act.run);
          else {
            const timer = { due: clock.now().getTime() + act.after, fired: [] as number[] };
            timers.push(timer);
            clock.after(act.after, () => timer.fired.push(clock.now().getTime()));
          }
        }
        wall.advance(200_000);

        for (const { due, fired } of timers) {
          expect(fired).toHaveLength(1);
          expect(fired[0]).toBeGreaterThanOrEqual(due);
        }
      }),
    );
  });

  it('refuses to stand still or to run backwards', () => {
    for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => scaledClock(new Date(START), speed)).toThrow(/cannot run at speed/);
    }
  });
});

describe("The machine's clock", () => {
  it('waits for what is further away than a timer of Node can wait', () => {
    vi.useFakeTimers({ now: Date.parse(START) });
    const fired = vi.fn();
    systemClock.after(60 * 86_400_000, fired);

    vi.advanceTimersByTime(59 * 86_400_000);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(86_400_000);

    expect(fired).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
});
