import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLease } from '../../../test/edge/sealed.ts';
import type { Lease } from '../../ports/lease.ts';
import { leaseNotes } from './lease-notes.ts';

const SEED = 20_260_115;
const run = { cluster: 'c1', proposal: 'p1', until: '2026-01-15T13:00:00.000Z' };

function notesAt(time: string, lease: Pick<Lease, 'read' | 'write'> = memoryLease()) {
  let now = Date.parse(time);
  const notes = leaseNotes({ clock: { now: () => new Date(now) }, leaseOf: () => lease });
  return { notes, pass: (days: number) => (now += days * 86_400_000) };
}

describe('Notes in a Lease', () => {
  it('know of no run that was not noted, whatever it is called', async () => {
    const { notes } = notesAt('2026-01-15T12:00:00Z');
    for (const proposal of ['p1', '__proto__', 'constructor', '']) {
      expect(await notes.reached({ ...run, proposal }), proposal).toBeUndefined();
      expect(await notes.raise({ ...run, proposal }, 0), proposal).toBeUndefined();
      expect(await notes.reached({ ...run, proposal }), proposal).toBe(0);
    }
  });

  it('only ever grow, whoever writes together', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }), async (marks) => {
        const { notes } = notesAt('2026-01-15T12:00:00Z');
        const before: (number | undefined)[] = [];
        for (const mark of marks) before.push(await notes.raise(run, mark));
        const highest = marks.map((_mark, index) => (index === 0 ? undefined : Math.max(...marks.slice(0, index))));
        expect(before).toEqual(highest);
        expect(await notes.reached(run)).toBe(Math.max(...marks));
      }),
      { seed: SEED },
    );
    const { notes } = notesAt('2026-01-15T12:00:00Z');
    await Promise.all([3, 1, 2].map((mark) => notes.raise(run, mark)));
    expect(await notes.reached(run)).toBe(3);
  });

  it('keep a run for a month after it was noted and could begin last, and then make room', async () => {
    const { notes, pass } = notesAt('2026-01-15T12:00:00Z');
    await notes.raise(run, 1);
    pass(29);
    await notes.raise({ ...run, proposal: 'p2' }, 1);
    expect(await notes.reached(run)).toBe(1);
    pass(2);
    await notes.raise({ ...run, proposal: 'p3' }, 1);
    expect(await notes.reached(run)).toBeUndefined();
    expect(await notes.reached({ ...run, proposal: 'p2' })).toBe(1);
  });

  it('refuse a new run rather than forget one', async () => {
    const lease = memoryLease();
    const { notes } = notesAt('2026-01-15T12:00:00Z', lease);
    const entry = { mark: 1, until: run.until, at: '2026-01-15T12:00:00.000Z' };
    const runs = Object.fromEntries(Array.from({ length: 1_000 }, (_each, index) => [`run q${index}`, entry]));
    await lease.write(
      {
        ...{ holder: 'gleaner', seconds: 60, renewedAt: new Date(0), acquiredAt: undefined, transitions: 0 },
        note: JSON.stringify({ schema: 1, runs }),
      },
      undefined,
    );
    await expect(notes.raise(run, 0)).rejects.toThrow('no more can begin');
    expect(await notes.raise({ ...run, proposal: 'q7' }, 2), 'one that is known goes on').toBe(1);
    expect(Buffer.byteLength(lease.note() ?? ''), 'the API server takes 256 KiB').toBeLessThan(256 * 1024);
  });

  it.each(['', 'x', '{}', '{"schema":2,"runs":{}}', '{"schema":1,"runs":{"run p1":{"mark":-1}}}'])(
    'are not taken for empty where they cannot be read: %j',
    async (note) => {
      const lease = memoryLease();
      const wish = { holder: '', seconds: 60, renewedAt: new Date(0), acquiredAt: undefined, transitions: 0, note };
      await lease.write(wish, undefined);
      const { notes } = notesAt('2026-01-15T12:00:00Z', lease);
      await expect(notes.reached(run)).rejects.toThrow('cannot be read');
      await expect(notes.raise(run, 0)).rejects.toThrow('cannot be read');
    },
  );

  it.each([
    ['an API server that does not answer', 'unreadable'],
    ['a right that is missing', 'refused'],
    ['an answer that was lost', 'unknown'],
  ] as const)('throw, so that nothing is touched, for %s', async (_what, is) => {
    const lease: Pick<Lease, 'read' | 'write'> = {
      read: async () => (is === 'unreadable' ? { is, because: 'it is away' } : { is: 'absent' }),
      write: async () => ({ is: is === 'unreadable' ? 'unknown' : is, because: 'it is away' }),
    };
    await expect(notesAt('2026-01-15T12:00:00Z', lease).notes.raise(run, 0)).rejects.toThrow('it is away');
  });
});
