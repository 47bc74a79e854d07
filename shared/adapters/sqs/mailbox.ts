import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** A message in the shape in which Lambda hands it to a function. */
interface Letter {
  readonly messageId: string;
  readonly receiptHandle: string;
}

/** A message as it was received. */
interface Received extends Letter {
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
  readonly eventSource: 'aws:sqs';
}

export interface SqsMailboxOptions {
  /** Its requests must be allowed to take longer than a long poll. */
  readonly client: Pick<SQSClient, 'send'>;
  /** The URL of the queue. */
  readonly queue: string;
  /** Messages of a batch, 1 to 10. */
  readonly most: number;
  /** How long a delivery is hidden at first, in milliseconds. */
  readonly hidden: number;
}

/** A queue that a process pulls from, outbound only. Each act throws where SQS did not carry it out. */
export function sqsMailbox({ client, queue, most, hidden }: SqsMailboxOptions) {
  const seconds = (ms: number) => Math.ceil(ms / 1000);
  const entries = (letters: readonly Letter[]) =>
    letters.map(({ receiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle: receiptHandle }));

  return {
    async receive(ms: number, signal: AbortSignal): Promise<readonly Received[]> {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          ...{ QueueUrl: queue, MaxNumberOfMessages: most, WaitTimeSeconds: seconds(ms) },
          ...{ VisibilityTimeout: seconds(hidden), MessageSystemAttributeNames: ['ApproximateReceiveCount'] },
        }),
        { abortSignal: signal },
      );
      return Messages.flatMap(({ MessageId, ReceiptHandle, Body = '', Attributes }) =>
        MessageId === undefined || ReceiptHandle === undefined
          ? []
          : [
              {
                ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, eventSource: 'aws:sqs' as const },
                attributes: { ApproximateReceiveCount: Attributes?.ApproximateReceiveCount ?? '1' },
              },
            ],
      );
    },
    async keep(letters: readonly Letter[], ms: number): Promise<void> {
      const Entries = entries(letters).map((entry) => ({ ...entry, VisibilityTimeout: seconds(ms) }));
      const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue, Entries }));
      if (Failed.length > 0)
        throw new Error(`SQS did not keep ${Failed.length} deliveries hidden: ${Failed[0]?.Message}`);
    },
    async end(letters: readonly Letter[]): Promise<void> {
      const { Failed = [] } = await client.send(
        new DeleteMessageBatchCommand({ QueueUrl: queue, Entries: entries(letters) }),
      );
      if (Failed.length > 0) throw new Error(`SQS did not end ${Failed.length} deliveries: ${Failed[0]?.Message}`);
    },
  };
}
