import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import {
  type EventBridgeBus,
  type EventBridgeBusOptions,
  eventBridgeBus,
} from '../../../shared/adapters/eventbridge/bus.ts';
import { sqsDelays } from '../../../shared/adapters/sqs/delays.ts';
import { sqsInbox } from '../../../shared/adapters/sqs/inbox.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { lambdaHop } from '../../../shared/runtime/lambda.ts';
import { lambdaLog } from '../../../shared/runtime/lambda-log.ts';
import { type BusUnderTest, CONFORMANCE_ROUTES } from '../../conformance/bus.ts';
import { type FakeBus, fakeBus } from './fake-bus.ts';
import { poll } from './poller.ts';

export const START = '2026-01-15T12:00:00.000Z';
const HOPS = ['first', 'second'] as const;
type Hop = (typeof HOPS)[number];

/** A fake with the rules of the conformance suite. */
export const conformingFake = (now: () => Date, chance?: () => number) =>
  fakeBus({
    ...{ bus: 'gleaner', now, ...(chance && { chance }) },
    rules: {
      first: { source: ['gleaner'], 'detail-type': CONFORMANCE_ROUTES.first, detail: { schema: [1] } },
      second: { source: ['gleaner'], 'detail-type': CONFORMANCE_ROUTES.second, detail: { schema: [1] } },
    },
  });

/** A clock whose waits are over at once: the tries of one call follow each other without a pause. */
const impatient = ({ now }: Pick<Clock, 'now'>): Clock => ({
  now,
  after(_ms, then) {
    queueMicrotask(then);
    return () => {};
  },
});

/** Publisher, queues and functions over one fake, as the suite wants them; and what only these tests look at. */
export interface Stack extends BusUnderTest {
  readonly bus: EventBridgeBus;
  readonly fake: FakeBus;
  readonly lines: readonly string[];
  readonly now: () => Date;
}

export function stackOn(
  fake: FakeBus,
  clock = manualClock(START),
  options: Partial<EventBridgeBusOptions> = {},
): Stack {
  const random = () => 0.5;
  const steady = impatient(clock);
  const delays = sqsDelays({ client: fake.sqs, clock: steady, queueOf: fake.url, random });
  const bus = eventBridgeBus({
    ...{ client: fake.events, bus: 'gleaner', clock: steady, routes: CONFORMANCE_ROUTES, delays, random, ...options },
  });
  const functions = new Map<Hop, ReturnType<typeof lambdaHop>>();
  const lines: string[] = [];
  const log = lambdaLog(clock.now, (line) => void lines.push(line));
  return {
    ...{ bus, fake, lines, now: clock.now, advance: clock.advance },
    consume(hop, run) {
      const inbox = sqsInbox({
        ...{ client: fake.sqs, clock: steady, hop, takes: CONFORMANCE_ROUTES[hop], delays, random },
        ...{ queue: fake.url(hop), deadLetters: fake.url(`${hop}-dead`) },
      });
      functions.set(hop, lambdaHop({ hop, open: async () => ({ run, bus, inbox }), log }));
    },
    async drain() {
      for (let found = true; found; ) {
        found = false;
        for (const [hop, handler] of functions) found = (await poll(fake, hop, handler)) || found;
      }
    },
    quarantined: async () =>
      HOPS.flatMap((hop) =>
        fake
          .queue(`${hop}-dead`)
          .peek()
          .map(({ attributes }) => ({ hop, because: attributes.because?.StringValue ?? '' })),
      ),
    async poison(hop, text) {
      fake.queue(hop).send(text);
    },
    crash: async () => stackOn(fake, clock, options),
  };
}
