import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { Clock } from '../../ports/clock.ts';
import { type StoreClock, storeClock } from './store-clock.ts';

/** Milliseconds until a connection stands, and until an answer comes: DynamoDB needs a few, a cold function's first one more. */
const CONNECTED = 1_000;
const ANSWERED = 2_000;

export interface ConnectOptions extends Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'> {
  /** The machine's clock. */
  readonly clock: Clock;
  /** Milliseconds until an answer is given up. */
  readonly answered?: number;
}

const Answer = z.object({ response: z.object({ headers: z.record(z.string(), z.string()) }) });

/** A client for the store, and the store's clock, which the client sets by each answer. */
export function connectDynamodb({ clock: machine, answered = ANSWERED, ...config }: ConnectOptions): {
  readonly client: DynamoDBClient;
  readonly clock: StoreClock;
} {
  const clock = storeClock(machine);
  const client = new DynamoDBClient({
    ...config,
    // The store tries again itself: the SDK would sleep for seconds where it is throttled, by a clock that tests do not own.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECTED,
      requestTimeout: answered,
      // Without it the SDK only logs that a request takes long (@smithy/node-http-handler, set-request-timeout).
      throwOnRequestTimeout: true,
    },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const sent = machine.now();
      const answer = await next(args);
      const { response } = Answer.safeParse(answer).data ?? {};
      clock.heard(response?.headers.date, sent, machine.now());
      return answer;
    },
    // Innermost, where errors of the service are still answers.
    { step: 'deserialize', priority: 'low', name: 'storeClock' },
  );
  return { client, clock };
}
