import { describe, expect, it } from 'vitest';
import { manualClock } from '../adapters/clock/manual.ts';
import { lambdaLog } from './lambda-log.ts';
import { HIDDEN, type Letter, LONG_POLL, type Mailbox, poller } from './poller.ts';

const letter = (id: string): Letter => ({ messageId: id, receiptHandle: `r-${id}` });

/** A mailbox that a test fills, and that writes down what is done with it. */
function bed(...batches: readonly (readonly Letter[] | Error)[]) {
  const clock = manualClock('2026-01-15T12:00:00.000Z');
  const ending = new AbortController();
  const [acts, lines] = [[] as string[], [] as string[]];
  const left = [...batches];
  const mailbox: Mailbox = {
    async receive(ms) {
      acts.push(`receive ${ms}`);
      const next = left.shift();
      if (next === undefined) ending.abort();
      if (next instanceof Error) throw next;
      return next ?? [];
    },
    async keep(letters, ms) {
      acts.push(`keep ${letters.map(({ messageId }) => messageId).join()} ${ms}`);
    },
    async end(letters) {
      acts.push(`end ${letters.map(({ messageId }) => messageId).join()}`);
    },
  };
  const log = lambdaLog(clock.now, (line) => void lines.push(line));
  return { clock, ending, acts, lines, mailbox, log };
}

/** Lets what waits for nothing but its turn come to its end. */
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

describe('A poller', () => {
  it('hands a batch to the hop and ends what the hop did not report', async () => {
    const { clock, ending, acts, mailbox, log } = bed([letter('a'), letter('b')], []);
    const batches: unknown[] = [];
    const handle = async (batch: unknown) => {
      batches.push(batch);
      return { batchItemFailures: [{ itemIdentifier: 'a' }] };
    };

    await poller({ mailbox, handle, clock, log }).run(ending.signal);

    expect(batches).toEqual([{ Records: [letter('a'), letter('b')] }]);
    expect(acts).toEqual([`receive ${LONG_POLL}`, 'end b', `receive ${LONG_POLL}`, `receive ${LONG_POLL}`]);
  });

  it('ends nothing where the hop throws, and goes on', async () => {
    const { clock, ending, acts, lines, mailbox, log } = bed([letter('a')]);
    const poll = poller({ mailbox, handle: () => Promise.reject(new Error('swordfish')), clock, log });

    const running = poll.run(ending.signal);
    await turns();
    expect(acts).toEqual([`receive ${LONG_POLL}`]);
    clock.advance(1_000);
    await running;

    expect(acts.filter((act) => act.startsWith('end'))).toEqual([]);
    expect(lines.join()).toContain('swordfish');
  });

  it('keeps a delivery hidden while its hop runs, for as long as a run may take, and no longer', async () => {
    const { clock, ending, acts, mailbox, log } = bed([letter('a')]);
    let finish = () => {};
    const handle = () =>
      new Promise<{ batchItemFailures: [] }>((resolve) => {
        finish = () => resolve({ batchItemFailures: [] });
      });
    const running = poller({ mailbox, handle, clock, log }).run(ending.signal);
    await turns();

    for (let passed = 0; passed < 60_000; passed += 15_000) clock.advance(15_000);
    await turns();
    expect(acts.filter((act) => act === `keep a ${HIDDEN}`)).toHaveLength(4);
    for (let passed = 0; passed < 3_600_000; passed += 15_000) clock.advance(15_000);
    const kept = acts.filter((act) => act.startsWith('keep')).length;
    expect(kept).toBeLessThanOrEqual(40);
    finish();
    await running;
    clock.advance(3_600_000);

    expect(acts.filter((act) => act.startsWith('keep'))).toHaveLength(kept);
    expect(acts).toContain('end a');
  });

  it('finishes what is under way when it is told to stop, and takes nothing more', async () => {
    const { clock, ending, acts, mailbox, log } = bed([letter('a')], [letter('b')]);
    let finish = () => {};
    const handle = () =>
      new Promise<{ batchItemFailures: [] }>((resolve) => {
        finish = () => resolve({ batchItemFailures: [] });
      });
    const running = poller({ mailbox, handle, clock, log }).run(ending.signal);
    await turns();

    ending.abort();
    finish();
    await running;

    expect(acts).toEqual([`receive ${LONG_POLL}`, 'end a']);
  });

  it('waits longer after each failure of the queue, and tells since when it was not heard', async () => {
    const failures = Array.from({ length: 8 }, () => new Error('no way'));
    const { clock, ending, acts, mailbox, log } = bed([], ...failures);
    const poll = poller({ mailbox, handle: async () => ({ batchItemFailures: [] }), clock, log });
    const running = poll.run(ending.signal);
    await turns();
    expect(poll.standing()).toEqual({ heardAt: new Date('2026-01-15T12:00:00.000Z'), because: 'Error: no way' });

    const at: number[] = [];
    for (let second = 1; second <= 260; second++) {
      const before = acts.length;
      clock.advance(1_000);
      await turns(5);
      if (acts.length > before) at.push(second);
    }
    await running;

    expect(at).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
  });

  it('tells a hop how much time it has', async () => {
    const { clock, ending, mailbox, log } = bed([letter('a')]);
    const left: number[] = [];
    const handle = async (_batch: unknown, context: { getRemainingTimeInMillis(): number }) => {
      left.push(context.getRemainingTimeInMillis());
      clock.advance(5_000);
      left.push(context.getRemainingTimeInMillis());
      return { batchItemFailures: [] };
    };

    await poller({ mailbox, handle, clock, log }).run(ending.signal);

    expect(left).toEqual([600_000, 595_000]);
  });
});
