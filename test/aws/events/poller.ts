import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { BatchResponse, LambdaContext } from '../../../shared/runtime/lambda.ts';
import type { FakeBus } from './fake-bus.ts';

type Handler = (batch: unknown, context: LambdaContext) => Promise<BatchResponse>;

/** An invocation with all the time of the world. */
const CONTEXT: LambdaContext = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

/**
 * One turn of Lambda's event source mapping with ReportBatchItemFailures: takes up to ten messages, invokes the
 * function, deletes what it did not report. False when there was nothing. A throw of the function fails the batch.
 */
export async function poll(fake: FakeBus, queue: string, handler: Handler, context = CONTEXT): Promise<boolean> {
  const QueueUrl = fake.url(queue);
  const { Messages = [] } = await fake.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  if (Messages.length === 0) return false;
  const Records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
    ...{
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
      messageAttributes: {},
    },
    ...{ eventSource: 'aws:sqs', eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}` },
  }));
  const { batchItemFailures } = await handler({ Records }, context);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const over = Messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  if (over.length > 0) {
    const Entries = over.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
    await fake.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
  return true;
}
