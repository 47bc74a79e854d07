import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock/manual.ts';
import { openDatabase } from '../sqlite/database.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { type RefusedKind, refusalLog } from './refused.ts';

function logged() {
  const clock = manualClock('2026-01-15T12:00:00Z');
  const store = sqliteStore(openDatabase(':memory:'));
  const counted: RefusedKind[] = [];
  const warnings: string[] = [];
  const refused = refusalLog({
    store,
    clock,
    count: (kind) => counted.push(kind),
    warn: (text) => warnings.push(text),
  });
  const lines = async () => (await store.audit(0, 100)).map(({ text }) => JSON.parse(text));
  return { clock, store, counted, warnings, refused, lines };
}

describe('A refusal', () => {
  it('is counted each time; what nobody signed is written once a minute, with how often it came', async () => {
    const { clock, counted, refused, lines } = logged();
    for (let nth = 0; nth < 1_000; nth++) await refused({ kind: 'forged', because: 'forged' });
    await refused({ kind: 'stale', because: 'stale' });
    clock.advance(60_000);
    await refused({ kind: 'forged', because: 'forged' });

    expect(counted).toHaveLength(1_002);
    expect(await lines()).toEqual([
      { event: 'not-taken', kind: 'forged', because: 'forged' },
      { event: 'not-taken', kind: 'stale', because: 'stale' },
      { event: 'not-taken', kind: 'forged', because: 'forged', times: 1_000 },
    ]);
  });

  it('is written each time where Slack says who it was', async () => {
    const { refused, lines } = logged();
    const tampered = { kind: 'tampered', because: 'b', who: 'slack:U1', team: 'T1', channel: 'C1' } as const;
    await refused(tampered);
    await refused(tampered);

    expect(await lines()).toEqual([
      { event: 'not-taken', ...tampered },
      { event: 'not-taken', ...tampered },
    ]);
  });

  it('that cannot be written is counted, and said in the log', async () => {
    const { store, counted, warnings } = logged();
    const refused = refusalLog({
      store: { append: () => Promise.reject(new Error('the disk is full')) },
      ...{
        clock: manualClock('2026-01-15T12:00:00Z'),
        count: (kind) => counted.push(kind),
        warn: (text) => warnings.push(text),
      },
    });

    await refused({ kind: 'forged', because: 'forged' });

    expect(counted).toEqual(['forged']);
    expect(warnings).toEqual([expect.stringContaining('the disk is full')]);
    expect(await store.audit(0, 1)).toEqual([]);
  });
});
