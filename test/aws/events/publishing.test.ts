import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import type { EventBridgeBusOptions } from '../../../shared/adapters/eventbridge/bus.ts';
import { trimmed } from '../../../shared/adapters/eventbridge/trim.ts';
import type { Event, Fact, Outgoing } from '../../../shared/model.ts';
import type { FakeBus, Mishap } from './fake-bus.ts';
import { found } from './found.ts';
import { conformingFake, START, stackOn } from './under-test.ts';

async function open(options: Partial<EventBridgeBusOptions> = {}) {
  const clock = manualClock(START);
  const fake = await conformingFake(clock.now);
  onTestFinished(() => fake.close());
  return { ...stackOn(fake, clock, options), fake };
}

const reminded = (proposal: string): Outgoing => ({ fact: { event: 'reminded', proposal } });
const many = (count: number) => Array.from({ length: count }, (_each, n) => reminded(`p${n}`));

const Put = z.object({
  Entries: z.array(z.object({ Detail: z.string(), DetailType: z.string(), Source: z.string() })),
});
const Detail = z.looseObject({ id: z.string(), proposal: z.string().optional() });

/** The events of each PutEvents so far. */
const puts = ({ requests }: FakeBus) =>
  requests
    .filter(({ action }) => action === 'PutEvents')
    .map(({ input }) => Put.parse(input).Entries.map((entry) => Detail.parse(JSON.parse(entry.Detail))));
const names = (fake: FakeBus) => puts(fake).map((each) => each.map(({ proposal }) => proposal));
/** What lies on a queue. */
const lying = (fake: FakeBus, queue: string) =>
  fake
    .queue(queue)
    .peek()
    .map(({ body }) => z.object({ detail: Detail }).parse(JSON.parse(body)).detail);

const failing = (entries: readonly number[], code: string): Mishap => ({ is: 'partial', entries, code });

describe('A publish on EventBridge', () => {
  it('sends tens', async () => {
    const { bus, fake } = await open();

    await bus.publish(many(23));

    expect(puts(fake).map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(new Set(names(fake).flat()).size).toBe(23);
  });

  it('says what it is, whose it is, in which shape, and when', async () => {
    const { bus, fake } = await open();

    await bus.publish([reminded('p1')]);

    expect(fake.requests[0]?.input).toEqual({
      Entries: [
        {
          ...{ Source: 'gleaner', DetailType: 'reminded', EventBusName: 'gleaner', Time: Date.parse(START) / 1000 },
          Detail: expect.stringMatching(
            /^\{"schema":1,"event":"reminded","proposal":"p1","id":"019bc186de00[0-9a-f]{20}","at":"2026-01-15T12:00:00.000Z"\}$/,
          ),
        },
      ],
    });
  });

  it.each(['InternalFailure', 'ThrottlingException'])(
    'sends again only what failed of ten for now (%s), under the same ids',
    async (code) => {
      const { bus, fake } = await open();
      fake.next('PutEvents', failing([2, 5, 9], code), failing([1], code));

      await bus.publish(many(10));

      const [first = [], second = [], third = []] = puts(fake);
      expect(names(fake).slice(1)).toEqual([['p2', 'p5', 'p9'], ['p5']]);
      expect(second).toEqual([first[2], first[5], first[9]]);
      expect(third).toEqual([first[5]]);
      expect(
        lying(fake, 'first')
          .map(({ id }) => id)
          .sort(),
      ).toEqual(first.map(({ id }) => id).sort());
    },
  );

  it.each<[string, Mishap]>([
    ['throttled', { is: 'error', status: 400, code: 'ThrottlingException' }],
    ['answered with 500', { is: 'error', status: 500, code: 'InternalException' }],
    ['answered with 503', { is: 'error', status: 503, code: 'ServiceUnavailable' }],
    ['cut off', { is: 'reset' }],
    ['sent with a clock that is wrong', { is: 'error', status: 400, code: 'RequestTimeTooSkewed' }],
  ])('is tried again when it was %s', async (_what, mishap) => {
    const { bus, fake } = await open();
    fake.next('PutEvents', mishap, mishap);

    await bus.publish(many(2));

    expect(names(fake)).toEqual([
      ['p0', 'p1'],
      ['p0', 'p1'],
      ['p0', 'p1'],
    ]);
    expect(lying(fake, 'first')).toHaveLength(2);
  });

  it('whose answer is lost brings its events twice, under the same ids', async () => {
    const { bus, fake } = await open();
    fake.next('PutEvents', { is: 'lost' });

    await bus.publish([reminded('p1')]);

    const ids = lying(fake, 'first').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('gives up after four tries, says so, and has published the others', async () => {
    const { bus, fake } = await open();
    const failure = failing([0], 'InternalFailure');
    fake.next('PutEvents', failure, failure, failure, failure);

    await expect(bus.publish([reminded('p0'), reminded('p1')])).rejects.toThrow(
      /^1 of 2 events were not published \(reminded \w+\): EventBridge did not take it for now \(InternalFailure/,
    );

    expect(names(fake)).toEqual([['p0', 'p1'], ['p0'], ['p0'], ['p0']]);
    expect(lying(fake, 'first').map(({ proposal }) => proposal)).toEqual(['p1']);
  });

  it('does not try again what is refused for good, and publishes the others', async () => {
    const { bus, fake } = await open();
    fake.next('PutEvents', failing([1], 'AccessDeniedException'));

    await expect(bus.publish(many(3))).rejects.toThrow(
      /refuses it \(AccessDeniedException: .*check the function's rights/,
    );

    expect(names(fake)).toEqual([['p0', 'p1', 'p2']]);
    expect(lying(fake, 'first').map(({ proposal }) => proposal)).toEqual(['p0', 'p2']);
  });

  it('does not try again where the whole request is refused for good', async () => {
    const { bus, fake } = await open();
    fake.next('PutEvents', { is: 'error', status: 403, code: 'AccessDeniedException' });

    await expect(bus.publish(many(2))).rejects.toThrow(/2 of 2 events .*AccessDeniedException/);

    expect(puts(fake)).toHaveLength(1);
  });

  it('never asks for more than a request may hold', async () => {
    const { bus, fake } = await open();

    await bus.publish(Array.from({ length: 7 }, (_each, n) => reminded(`${n}${'x'.repeat(100_000)}`)));

    expect(puts(fake).map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect(lying(fake, 'first')).toHaveLength(7);
  });

  it('writes each event into the audit log before it goes out', async () => {
    const lines: string[] = [];
    const { bus, fake } = await open({
      async audit({ text }) {
        expect(puts(fake)).toEqual([]);
        lines.push(text);
      },
    });

    await bus.publish([reminded('p1'), { ...reminded('p2'), after: 5_000 }]);

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ proposal: 'p1' }, { proposal: 'p2' }]);
  });
});

describe('What a delivery publishes', () => {
  const cause = (id: string): { hop: string; event: Event } => ({
    hop: 'first',
    event: { event: 'reminded', proposal: 'p', id, at: START },
  });

  it('has the same ids when the delivery is taken again, in whatever order it says it', async () => {
    const { bus, fake, advance } = await open();
    await bus.endOf(cause('e1')).publish([reminded('a'), reminded('b'), reminded('b')]);
    advance(60_000);

    await bus.endOf(cause('e1')).publish([reminded('b'), reminded('a'), reminded('b')]);

    const [first = [], second = []] = puts(fake);
    expect(new Set(first.map(({ id }) => id)).size).toBe(3);
    expect(second.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
  });

  it('has other ids where it says something else, at another hop, or for another event', async () => {
    const { bus, fake } = await open();
    await bus.endOf(cause('e1')).publish([reminded('a')]);

    await bus.endOf(cause('e1')).publish([reminded('b')]);
    await bus.endOf(cause('e2')).publish([reminded('a')]);
    await bus.endOf({ ...cause('e1'), hop: 'second' }).publish([reminded('a')]);

    expect(new Set(puts(fake).flatMap((each) => each.map(({ id }) => id))).size).toBe(4);
  });
});

describe('An event for later', () => {
  it('waits at the queue of each hop that takes it, and nowhere else', async () => {
    const { bus, fake } = await open();

    await bus.publish([{ fact: { event: 'expired', proposal: 'p1' }, after: 1_500 }]);

    expect(puts(fake)).toEqual([]);
    const [one, other] = [fake.queue('first').peek(), fake.queue('second').peek()];
    expect([...one, ...other].map(({ visibleAt }) => visibleAt - Date.parse(START))).toEqual([2_000, 2_000]);
    expect(lying(fake, 'first')).toEqual(lying(fake, 'second'));
  });

  it('is sent again where its queue did not take it for now', async () => {
    const { bus, fake } = await open();
    fake.next('SendMessageBatch', failing([0, 11], 'InternalError'), {
      is: 'error',
      status: 503,
      code: 'ServiceUnavailable',
    });

    await bus.publish(many(12).map((one) => ({ ...one, after: 1_000 })));

    expect(new Set(lying(fake, 'first').map(({ proposal }) => proposal)).size).toBe(12);
  });

  it('that its queue refuses makes the publish throw, after the others', async () => {
    const { bus, fake } = await open();
    fake.next('SendMessageBatch', { is: 'error', status: 403, code: 'AccessDenied' });

    await expect(bus.publish([{ ...reminded('later'), after: 1_000 }, reminded('now')])).rejects.toThrow(
      /1 of 2 events were not published .*the queue of first refuses it \(AccessDenied/,
    );

    expect(names(fake)).toEqual([['now']]);
  });
});

/** What was put of one fact. */
async function put(fact: Fact): Promise<{ readonly bytes: number; readonly detail: z.infer<typeof Detail> }> {
  const { bus, fake } = await open();
  await bus.publish([{ fact }]);
  const request = fake.requests.find(({ action }) => action === 'PutEvents');
  const [entry] = Put.parse(request?.input).Entries;
  const text = entry?.Detail ?? '';
  return { bytes: Buffer.byteLength(text), detail: Detail.parse(JSON.parse(text)) };
}

describe('An event that is larger than the bus takes', () => {
  it('is cut in its evidence and differences only, with a mark at each cut', async () => {
    const fact = found({ evidence: 200, value: 4_000 });

    const { bytes, detail } = await put(fact);

    expect(bytes).toBeLessThan(256 * 1024);
    const { evidence, ...rest } = z
      .looseObject({ evidence: z.array(z.looseObject({ because: z.string() })) })
      .parse(detail.found);
    const { evidence: _all, ...whole } = fact.found;
    expect(rest).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(evidence.at(-1)).toMatchObject({
      field: '(left out)',
      because: expect.stringMatching(/^150 more pieces of evidence/),
    });
    expect(evidence[0]).toMatchObject({ value: expect.stringMatching(/^… \(4002 characters left out/) });
    expect(detail.dryRuns).toMatchObject({
      fix: [
        {
          is: 'would-change',
          differences: expect.arrayContaining([{ path: '/p0', before: expect.stringMatching(/left out/) }]),
        },
      ],
    });
  });

  it('that nothing can be cut of is refused by name, and the others are published', async () => {
    const { bus, fake } = await open();
    const large = found({ evidence: 0, value: 0, finding: 300_000 });

    await expect(bus.publish([{ fact: large }, reminded('p1')])).rejects.toThrow(
      /1 of 2 events were not published \(found \w+\): it has more than the 262144 bytes/,
    );

    expect(names(fake)).toEqual([['p1']]);
  });

  it('never goes out larger than it may, and is never cut when it fits (200 sizes)', () => {
    const sizes = fc.record({
      evidence: fc.nat(80),
      value: fc.nat(5_000),
      budget: fc.integer({ min: 4_000, max: 300_000 }),
    });
    fc.assert(
      fc.property(sizes, ({ evidence, value, budget }) => {
        const event: Event = { ...found({ evidence, value }), id: 'e1', at: START };
        const fits = (one: Event) => JSON.stringify(one).length <= budget;

        const cut = trimmed(event, fits);

        if (fits(event)) expect(cut).toBe(event);
        else if (cut) expect(fits(cut)).toBe(true);
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
