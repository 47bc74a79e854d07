import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { messagesOf } from '../../../shared/adapters/sqs/records.ts';
import { detailOf } from '../../../shared/adapters/sqs/wire.ts';
import type { Event, Outgoing } from '../../../shared/model.ts';
import { poll } from './poller.ts';
import { conformingFake, START, stackOn } from './under-test.ts';

async function open() {
  const clock = manualClock(START);
  const fake = await conformingFake(clock.now);
  onTestFinished(() => fake.close());
  return stackOn(fake, clock);
}

const reminded = (proposal: string): Outgoing => ({ fact: { event: 'reminded', proposal } });
const EVENT: Event = { event: 'reminded', proposal: 'p1', id: 'e1', at: START };
/** A message as EventBridge puts it on a queue. */
const brought = (change: object = {}) =>
  JSON.stringify({ source: 'gleaner', 'detail-type': 'reminded', detail: JSON.parse(detailOf(EVENT)), ...change });

type Stack = Awaited<ReturnType<typeof open>>;
const dead = ({ fake }: Stack) => fake.queue('first-dead').peek();
const lying = ({ fake }: Stack) => fake.queue('first').peek();
const idOf = (body: string) => z.object({ detail: z.object({ id: z.string() }) }).parse(JSON.parse(body)).detail.id;

/** Takes everything and notes the proposals. */
function noting(stack: Stack, seen: string[] = []) {
  stack.consume('first', async (event) => {
    if ('proposal' in event) seen.push(event.proposal);
    return [];
  });
  return seen;
}

describe('A message that is no event', () => {
  it('among ten is set aside as it was, with its reason, hop and id, while the other nine are done', async () => {
    const stack = await open();
    const seen = noting(stack);
    await stack.bus.publish(Array.from({ length: 9 }, (_each, n) => reminded(`p${n}`)));
    const text = '{"source":"gleaner","token":"xoxb-s3cr3t"';
    const id = stack.fake.queue('first').send(text);

    await stack.drain();

    expect(seen).toHaveLength(9);
    expect(lying(stack)).toEqual([]);
    expect(dead(stack)).toMatchObject([
      {
        body: text,
        attributes: {
          hop: { StringValue: 'first' },
          message: { StringValue: id },
          because: { StringValue: 'it cannot be read: it is no JSON' },
        },
      },
    ]);
    expect(stack.lines.join()).toContain('a message was set aside');
    expect(stack.lines.join()).not.toContain('s3cr3t');
  });

  it.each([
    ['replayed from an archive', { 'replay-name': 'replay-1' }, /replayed from an archive/],
    ['of a newer release', { detail: { ...EVENT, schema: 2 } }, /schema version 2/],
  ])('because it is %s is set aside, and its hop never hears of it', async (_what, change, because) => {
    const stack = await open();
    const seen = noting(stack);
    await stack.poison('first', brought(change));

    await stack.drain();

    expect(seen).toEqual([]);
    expect(await stack.quarantined()).toEqual([{ hop: 'first', because: expect.stringMatching(because) }]);
  });

  it('stays on its queue while it cannot be set aside, and is lost at no time', async () => {
    const stack = await open();
    noting(stack);
    await stack.poison('first', 'no JSON');
    stack.fake.next('SendMessage', { is: 'error', status: 503, code: 'ServiceUnavailable' });

    await stack.drain();
    expect([lying(stack).length, dead(stack).length]).toEqual([1, 0]);
    stack.advance(120_000);
    await stack.drain();

    expect([lying(stack).length, dead(stack).length]).toEqual([0, 1]);
  });

  it('that is too large even to be set aside comes to the dead letters by itself', async () => {
    const stack = await open();
    noting(stack);
    await stack.poison('first', 'x'.repeat(1024 * 1024));

    for (let round = 0; round < 61; round++) {
      await stack.drain();
      stack.advance(120_000);
    }
    await stack.drain();

    expect([lying(stack).length, dead(stack).length]).toEqual([0, 1]);
    expect(stack.lines[0]).toMatch(/it has 1048576 bytes, and 270336 are allowed/);
  });
});

describe('A delivery', () => {
  it('that was published but not ended says the same under the same id when it comes again', async () => {
    const stack = await open();
    stack.consume('first', async ({ event }) =>
      event === 'reminded' ? [{ fact: { event: 'expired', proposal: 'out' } }] : [],
    );
    await stack.poison('first', brought());
    stack.fake.next('DeleteMessageBatch', { is: 'error', status: 500, code: 'InternalError' });

    await expect(stack.drain()).rejects.toThrow();
    stack.advance(120_000);
    await stack.drain();

    const said = stack.fake
      .queue('second')
      .peek()
      .map(({ body }) => idOf(body));
    expect(said).toHaveLength(2);
    expect(new Set(said).size).toBe(1);
  });

  it('that is thrown at waits longer each time, up to two minutes', async () => {
    const stack = await open();
    stack.consume('first', async () => Promise.reject(new Error('not now')));
    await stack.poison('first', brought());
    const waits: number[] = [];

    for (let round = 0; round < 9; round++) {
      await stack.drain();
      const left = (lying(stack)[0]?.visibleAt ?? 0) - stack.now().getTime();
      waits.push(left / 1000);
      stack.advance(left);
    }

    // Three quarters of 2, 4, 8 … s: the chance of this test is always a half.
    expect(waits).toEqual([2, 3, 6, 12, 24, 48, 90, 90, 90]);
  });

  it('whose function dies each time comes to the dead letters by itself', async () => {
    const stack = await open();
    await stack.poison('first', brought());

    for (let round = 0; round < 61; round++) {
      await poll(stack.fake, 'first', async () => Promise.reject(new Error('out of memory'))).catch(() => {});
      stack.advance(120_000);
    }

    expect([lying(stack).length, dead(stack).length]).toEqual([0, 1]);
    expect(dead(stack)[0]?.body).toBe(brought());
  });

  it('that comes a day late is handed on with its own time', async () => {
    const stack = await open();
    const seen: string[] = [];
    stack.consume('first', async ({ at }) => {
      seen.push(at);
      return [];
    });
    await stack.poison('first', brought());

    stack.advance(82_800_000);
    await stack.drain();

    expect(seen).toEqual([START]);
  });

  it.each([
    [14 * 60, [840]],
    [15 * 60, [900]],
    [31 * 60, [900, 900, 60]],
    [3 * 60 * 60, Array.from({ length: 12 }, () => 900)],
  ])('for %d s later is held back by SQS in pieces of at most 15 minutes', async (seconds, pieces) => {
    const stack = await open();
    const seen = noting(stack);
    await stack.bus.publish([{ ...reminded('later'), after: seconds * 1000 }]);
    const held: number[] = [];

    while (lying(stack).length > 0) {
      const wait = (lying(stack)[0]?.visibleAt ?? 0) - stack.now().getTime();
      held.push(wait / 1000);
      stack.advance(wait);
      await stack.drain();
    }

    expect(held).toEqual(pieces);
    expect(seen).toEqual(['later']);
    expect(stack.now().getTime() - Date.parse(START)).toBe(seconds * 1000);
  });

  it('for a few minutes later comes when SQS says so, though the clock of who takes it is ten minutes behind', async () => {
    const clock = manualClock(START);
    const fake = await conformingFake(clock.now);
    onTestFinished(() => fake.close());
    const behind = stackOn(fake, manualClock('2026-01-15T11:50:00.000Z'));
    const seen = noting(behind);
    await stackOn(fake, clock).bus.publish([{ ...reminded('later'), after: 240_000 }]);

    clock.advance(240_000);
    await behind.drain();

    expect(seen).toEqual(['later']);
  });

  it('that comes a moment early, by another clock, is handled', async () => {
    const stack = await open();
    const seen = noting(stack);
    const due = new Date(Date.parse(START) + 1_900).toISOString();
    await stack.poison('first', brought({ due }));

    await stack.drain();

    expect(seen).toEqual(['p1']);
  });

  it('that cannot be held back again stays on its queue', async () => {
    const stack = await open();
    const seen = noting(stack);
    await stack.poison('first', brought({ due: '2026-01-15T13:00:00.000Z' }));
    stack.fake.next('SendMessageBatch', { is: 'error', status: 403, code: 'AccessDenied' });

    await stack.drain();

    expect(seen).toEqual([]);
    expect(lying(stack)).toHaveLength(1);
    expect(stack.lines.join()).toContain('SQS did not hold back reminded (AccessDenied');
  });
});

describe('A batch', () => {
  it.each([null, {}, { Records: [{}] }, { Records: [{ eventSource: 'aws:s3' }] }, { Records: 'all' }])(
    'is nothing else than what SQS sends (%j)',
    (batch) => {
      expect(() => messagesOf(batch)).toThrow(/takes batches of an SQS queue, .* check its event source/);
    },
  );
});
