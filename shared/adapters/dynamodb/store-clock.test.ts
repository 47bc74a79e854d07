import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock/manual.ts';
import { storeClock } from './store-clock.ts';

const START = '2026-01-15T12:00:00.000Z';
const MINUTE = 60_000;

/** A machine whose clock is `ahead` of the store's true time, and answers of the store that arrive there. */
function machine(ahead: number) {
  const wall = manualClock(START);
  const clock = storeClock(wall);
  const truth = () => wall.now().getTime() - ahead;
  return {
    ...{ wall, clock, truth },
    error: () => clock.now().getTime() - truth(),
    /** An answer that is made so many milliseconds after the request went out, and takes so many to come back. */
    answer(there: number, back: number) {
      const sent = wall.now();
      wall.advance(there);
      const date = new Date(truth()).toUTCString();
      wall.advance(back);
      clock.heard(date, sent, wall.now());
    },
  };
}

describe("The store's clock", () => {
  it("is the machine's until the store was heard", () => {
    const { clock, wall } = machine(10 * MINUTE);

    expect(clock.isSet()).toBe(false);
    expect(clock.now()).toEqual(wall.now());
    expect(clock.latest()).toEqual(wall.now());
  });

  it.each([10 * MINUTE, -10 * MINUTE])(
    'is right to a second after one answer, on a machine that is %d ms ahead',
    (ahead) => {
      const { answer, error, clock, truth } = machine(ahead);

      answer(5, 5);

      expect(Math.abs(error())).toBeLessThan(600);
      expect(clock.latest().getTime()).toBeGreaterThanOrEqual(truth());
    },
  );

  it('comes closer with each answer that begins at another part of a second', () => {
    const { answer, error, wall } = machine(7 * MINUTE + 123);
    for (let n = 0; n < 30; n++) {
      answer(2, 2);
      wall.advance(137);
    }

    expect(Math.abs(error())).toBeLessThan(50);
  });

  it("never says that it is earlier than it is in the store, however slow the answers and however wrong the machine's clock", () => {
    const Answer = fc.record({ there: fc.nat(3_000), back: fc.nat(3_000), pause: fc.nat(100_000) });
    fc.assert(
      fc.property(
        fc.integer({ min: -10 * MINUTE, max: 10 * MINUTE }),
        fc.array(Answer, { minLength: 1, maxLength: 30 }),
        (ahead, answers) => {
          const { answer, clock, truth, wall, error } = machine(ahead);
          for (const { there, back, pause } of answers) {
            answer(there, back);
            wall.advance(pause);
            expect(clock.latest().getTime()).toBeGreaterThanOrEqual(truth());
            expect(Math.abs(error())).toBeLessThan(RESOLUTION + there + back + pause * 0.001);
          }
        },
      ),
    );
  });

  it("learns anew when the machine's clock was set", () => {
    const { clock, wall, answer } = machine(0);
    answer(5, 5);
    wall.advance(10 * MINUTE);

    // Ten minutes passed on the machine, none in the store.
    clock.heard(new Date(START).toUTCString(), wall.now(), wall.now());

    expect(Math.abs(clock.now().getTime() - Date.parse(START))).toBeLessThan(600);
  });

  it.each([undefined, '', 'yesterday', 'Invalid Date'])('learns nothing from a header %j', (date) => {
    const { clock, wall } = machine(0);

    clock.heard(date, wall.now(), wall.now());

    expect(clock.isSet()).toBe(false);
  });

  it("learns nothing from an answer that came before it was asked for: the machine's clock was set meanwhile", () => {
    const { clock, wall } = machine(0);
    const later = new Date(wall.now().getTime() + 1);

    clock.heard(new Date(START).toUTCString(), later, wall.now());

    expect(clock.isSet()).toBe(false);
  });

  it("waits by the machine's clock", () => {
    const { clock, wall, answer } = machine(10 * MINUTE);
    answer(5, 5);
    let fired = 0;
    clock.after(1_000, () => {
      fired += 1;
    });

    wall.advance(1_000);

    expect(fired).toBe(1);
  });
});

const RESOLUTION = 1_000;
