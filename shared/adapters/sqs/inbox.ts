import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { milliseconds } from '../../duration.ts';
import type { Event, EventName } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Delays } from './delays.ts';
import { type Message, messagesOf } from './records.ts';
import { read } from './wire.ts';

/** Waits before the next try double from the first to the longest, as in process. */
const FIRST_WAIT = milliseconds('2s');
const LONGEST_WAIT = milliseconds('2m');
/** An event of EventBridge's 256 KiB, and what it adds around it. */
const LARGEST = 264 * 1024;
/** SQS rounds a delay up to seconds, and two machines' clocks differ. */
const SLACK = milliseconds('2s');
/** What a person reads of why a message was set aside. */
const REASON = 500;

/** One delivery of a hop's queue, read. `early`: it is not yet to be handled. */
interface Delivery extends Message {
  readonly read:
    | { readonly is: 'event'; readonly event: Event }
    | { readonly is: 'early'; readonly event: Event; readonly due: string }
    | { readonly is: 'poison'; readonly because: string };
}

/** A hop's queue as its consumer sees it. Each act throws where SQS did not carry it out. */
export interface Inbox {
  /** The deliveries of a batch, as Lambda hands it in. Throws where it is no batch of a queue. */
  open(batch: unknown): readonly Delivery[];
  /** Puts a message where an operator finds it, with the reason. The delivery is to be ended after it. */
  setAside(delivery: Delivery, because: string): Promise<void>;
  /** Lets the delivery come again after a while that grows with each time. */
  postpone(delivery: Delivery): Promise<void>;
  /** Holds an early event back until its time. The delivery is to be ended after it. */
  hold(delivery: Delivery): Promise<void>;
}

export interface SqsInboxOptions {
  readonly client: Pick<SQSClient, 'send'>;
  readonly clock: Clock;
  readonly hop: string;
  /** The events that the hop takes. */
  readonly takes: readonly EventName[];
  /** The URL of its queue, and of the queue for what cannot be handled: the one that SQS's redrive policy names, too. */
  readonly queue: string;
  readonly deadLetters: string;
  readonly delays: Delays;
  /** Bytes that a message may have. */
  readonly largest?: number;
  readonly random?: () => number;
}

export function sqsInbox(options: SqsInboxOptions): Inbox {
  const { client, clock, hop, takes, queue, deadLetters, delays, largest = LARGEST, random = Math.random } = options;

  function delivery(message: Message): Delivery {
    const found = read(message.body, takes, largest);
    if (found.is === 'poison') return { ...message, read: found };
    const { event, due } = found;
    const isEarly = due !== undefined && Date.parse(due) - clock.now().getTime() > SLACK;
    return { ...message, read: isEarly ? { is: 'early', event, due } : { is: 'event', event } };
  }

  return {
    open: (batch) => messagesOf(batch).map(delivery),
    async setAside({ id, body }, because) {
      const text = (value: string) => ({ DataType: 'String', StringValue: plain(value) });
      await client.send(
        new SendMessageCommand({
          ...{ QueueUrl: deadLetters, MessageBody: body },
          MessageAttributes: { hop: text(hop), because: text(because), message: text(id) },
        }),
      );
    },
    async postpone({ receipt, attempt }) {
      const ms = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * (0.5 + random() / 2);
      await client.send(
        new ChangeMessageVisibilityCommand({
          ...{ QueueUrl: queue, ReceiptHandle: receipt, VisibilityTimeout: Math.ceil(ms / 1000) },
        }),
      );
    },
    async hold({ read: early }) {
      if (early.is !== 'early') return;
      const [refused] = await delays.hold([{ hop, event: early.event, due: early.due }]);
      if (refused) throw new Error(`SQS did not hold back ${early.event.event} (${refused.code}: ${refused.because})`);
    },
  };
}

/** A text that SQS takes as an attribute: it refuses control characters and empty ones. */
const plain = (text: string) => text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/g, ' ').slice(0, REASON) || 'no reason given';
