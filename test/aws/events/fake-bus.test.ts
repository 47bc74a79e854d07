import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { chance } from '../../conformance/chance.ts';
import { type FakeBusOptions, fakeBus } from './fake-bus.ts';
import { FakeQueue } from './fake-queue.ts';

async function open(options: Partial<FakeBusOptions> = {}) {
  const clock = manualClock('2026-01-15T12:00:00Z');
  const rules = { all: { source: ['gleaner'] } };
  const fake = await fakeBus({
    ...{ bus: 'gleaner', rules, now: clock.now, visibility: 30, maxReceives: 3 },
    ...options,
  });
  onTestFinished(() => fake.close());
  return { ...clock, fake };
}

const entry = (change: object = {}) => ({
  ...{ Source: 'gleaner', DetailType: 'found', Detail: '{"schema":1}', EventBusName: 'gleaner' },
  ...change,
});
const put = (Entries: object[]) => new PutEventsCommand({ Entries });

describe('The fake EventBridge', () => {
  it('brings what a rule matches to its queue, in the envelope of EventBridge', async () => {
    const { fake } = await open();

    const { Entries } = await fake.events.send(
      put([entry({ Time: new Date('2026-01-15T11:00:00.700Z') }), entry({ Source: 'x' })]),
    );

    expect(
      fake
        .queue('all')
        .peek()
        .map(({ body }) => JSON.parse(body)),
    ).toEqual([
      {
        ...{ version: '0', id: Entries?.[0]?.EventId, source: 'gleaner', 'detail-type': 'found', resources: [] },
        ...{ account: '000000000000', region: 'eu-central-1', time: '2026-01-15T11:00:00Z', detail: { schema: 1 } },
      },
    ]);
  });

  it.each([
    ['eleven entries', Array.from({ length: 11 }, () => entry()), /less than or equal to 10/],
    ['too many bytes', [entry({ Detail: JSON.stringify('x'.repeat(262_144)) })], /over the limit/],
    [
      'too many bytes together',
      [1, 2, 3].map(() => entry({ Detail: JSON.stringify({ a: 'x'.repeat(90_000) }) })),
      /over the limit/,
    ],
    ['nothing but broken entries', [entry({ Detail: '{' }), entry({ Source: '' })], /malformed/],
    ['an unknown bus', [entry({ EventBusName: 'other' })], /No such bus/],
  ])('refuses %s as a whole', async (_what, entries, because) => {
    const { fake } = await open();

    await expect(fake.events.send(put(entries))).rejects.toThrow(because);

    expect(fake.queue('all').peek()).toEqual([]);
  });

  it('refuses a broken entry among good ones alone', async () => {
    const { fake } = await open();

    const answer = await fake.events.send(put([entry(), entry({ Detail: '[1]' }), entry()]));

    expect(answer.FailedEntryCount).toBe(1);
    expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([undefined, 'MalformedDetail', undefined]);
    expect(fake.queue('all').peek()).toHaveLength(2);
  });
});

describe('The fake SQS', () => {
  const receive = (fake: Awaited<ReturnType<typeof open>>['fake'], name = 'all') =>
    fake.sqs.send(new ReceiveMessageCommand({ QueueUrl: fake.url(name), MaxNumberOfMessages: 10 }));

  it('hides a delivery for a while, brings it again, and gives it up to the dead letters', async () => {
    const { fake, advance } = await open();
    await fake.sqs.send(new SendMessageCommand({ QueueUrl: fake.url('all'), MessageBody: 'a' }));
    const counts: (string | undefined)[] = [];

    for (let round = 0; round < 4; round++) {
      const { Messages = [] } = await receive(fake);
      counts.push(Messages[0]?.Attributes?.ApproximateReceiveCount);
      expect((await receive(fake)).Messages ?? []).toEqual([]);
      advance(30_000);
    }

    expect(counts).toEqual(['1', '2', '3', undefined]);
    expect((await receive(fake, 'all-dead')).Messages?.map(({ Body }) => Body)).toEqual(['a']);
  });

  it('holds a message back for its delay', async () => {
    const { fake, advance } = await open();
    await fake.sqs.send(new SendMessageCommand({ QueueUrl: fake.url('all'), MessageBody: 'a', DelaySeconds: 900 }));

    advance(899_999);
    expect((await receive(fake)).Messages ?? []).toEqual([]);
    advance(1);

    expect((await receive(fake)).Messages).toHaveLength(1);
  });

  it('refuses what SQS refuses', async () => {
    const { fake } = await open();
    const QueueUrl = fake.url('all');
    const Entries = Array.from({ length: 11 }, (_each, n) => ({ Id: `${n}`, MessageBody: 'a' }));

    await expect(fake.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toThrow(/Maximum number/);
    await expect(fake.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a\u0000' }))).rejects.toThrow();
    await expect(
      fake.sqs.send(new SendMessageCommand({ QueueUrl: fake.url('none'), MessageBody: 'a' })),
    ).rejects.toThrow(/does not exist/);
  });

  it('at its worst mixes the order, and forgets some deletes', () => {
    const queue = new FakeQueue({ name: 'q', visibility: 30 }, () => 0, chance(1));
    for (let n = 0; n < 100; n++) queue.send(`${n}`);
    const seen: string[] = [];
    for (let got = queue.receive(10); got.length > 0; got = queue.receive(10)) {
      for (const { Body, ReceiptHandle } of got) {
        seen.push(Body);
        queue.delete(ReceiptHandle);
      }
    }

    expect(new Set(seen).size).toBe(100);
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.slice(0, 10)).not.toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });
});
