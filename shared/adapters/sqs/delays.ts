import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Event } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Refused, sendAll } from './batches.ts';
import { messageOf } from './wire.ts';

/** SQS holds a message back for 15 minutes at most. What is for later than that is held back again when it comes. */
const LONGEST_DELAY = 900;
/** SQS takes 1 MiB a request; queues that were made before that was so take 256 KiB. */
const LARGEST_REQUEST = 256 * 1024;

/** An event that one hop is to take at `due`, and not before. */
export interface Delayed {
  readonly hop: string;
  readonly event: Event;
  readonly due: string;
}

/** Holds events back, however long. Durable once it answers; answers what was not taken. */
export interface Delays {
  hold(delayed: readonly Delayed[]): Promise<readonly Refused<Delayed>[]>;
}

export interface SqsDelaysOptions {
  readonly client: Pick<SQSClient, 'send'>;
  readonly clock: Clock;
  /** The URL of the queue of the hop that takes the event. */
  readonly queueOf: (hop: string, event: Event) => string;
  readonly random?: () => number;
}

/** Delays by the DelaySeconds of the hops' own queues. */
export function sqsDelays({ client, clock, queueOf, random = Math.random }: SqsDelaysOptions): Delays {
  const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));

  async function send(queue: string, batch: readonly Delayed[]) {
    const now = clock.now().getTime();
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue,
        Entries: batch.map((delayed, index) => ({ Id: `${index}`, ...messageAfter(delayed, now) })),
      }),
    );
    return batch.map((_each, index) => {
      const failed = Failed.find(({ Id }) => Id === `${index}`);
      if (!failed) return undefined;
      return { code: failed.Code ?? 'unknown', because: failed.Message ?? '', again: failed.SenderFault !== true };
    });
  }

  return {
    async hold(delayed) {
      const byQueue = Map.groupBy(delayed, ({ hop, event }) => queueOf(hop, event));
      const refused = [...byQueue].map(([queue, items]) =>
        sendAll(items, {
          send: (batch) => send(queue, batch),
          sizeOf: ({ event, due }) => Buffer.byteLength(messageOf(event, due)),
          largest: LARGEST_REQUEST,
          ...{ pause, random },
        }),
      );
      return (await Promise.all(refused)).flat();
    },
  };
}

function messageAfter({ event, due }: Delayed, now: number) {
  // Rounded up: a run whose event comes before its time takes it for a copy, and ends.
  const seconds = Math.max(0, Math.ceil((Date.parse(due) - now) / 1000));
  return seconds > LONGEST_DELAY
    ? { MessageBody: messageOf(event, due), DelaySeconds: LONGEST_DELAY }
    : // Without its time: the consumer's clock may go wrong, and SQS' delay does not.
      { MessageBody: messageOf(event), DelaySeconds: seconds };
}
