import * as z from 'zod';
import { type FakeQueue, md5 } from './fake-queue.ts';

const Attribute = z.object({ DataType: z.string(), StringValue: z.string().optional() });
const Attributes = z.record(z.string(), Attribute).default({});
const Sent = z.object({
  MessageBody: z.string(),
  DelaySeconds: z.number().int().min(0).max(900).default(0),
  MessageAttributes: Attributes,
});
const OfQueue = z.object({ QueueUrl: z.string() });

/** An answer of the service: its status and its JSON. */
export interface Answer {
  readonly status: number;
  readonly json: object;
}

export const refused = (code: string, message: string, status = 400): Answer => ({
  status,
  json: { __type: `com.amazonaws#${code}`, message },
});
const ok = (json: object): Answer => ({ status: 200, json });

/** Characters that SQS takes: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF. */
const TAKEN = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const LARGEST = 1024 * 1024;

/** SQS' JSON protocol over queues in memory. `refuse`: indexes of a batch's entries that fail, with their code. */
export function fakeSqs(queues: ReadonlyMap<string, FakeQueue>) {
  return (action: string, input: unknown, refuse: ReadonlyMap<number, string>): Answer => {
    const queue = queues.get(OfQueue.parse(input).QueueUrl.split('/').at(-1) ?? '');
    if (!queue) return refused('QueueDoesNotExist', 'The specified queue does not exist.');
    switch (action) {
      case 'SendMessage':
        return send(queue, Sent.parse(input));
      case 'SendMessageBatch':
        return sendBatch(queue, input, refuse);
      case 'ReceiveMessage': {
        const { MaxNumberOfMessages } = z.object({ MaxNumberOfMessages: z.number().max(10).default(1) }).parse(input);
        return ok({ Messages: queue.receive(MaxNumberOfMessages) });
      }
      case 'DeleteMessageBatch': {
        const entries = z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() }));
        const { Entries } = z.object({ Entries: entries.min(1).max(10) }).parse(input);
        for (const { ReceiptHandle } of Entries) queue.delete(ReceiptHandle);
        return ok({ Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] });
      }
      case 'ChangeMessageVisibility': {
        const wanted = z.object({ ReceiptHandle: z.string(), VisibilityTimeout: z.number().int().min(0).max(43_200) });
        const { ReceiptHandle, VisibilityTimeout } = wanted.parse(input);
        const isKnown = queue.changeVisibility(ReceiptHandle, VisibilityTimeout);
        return isKnown ? ok({}) : refused('ReceiptHandleIsInvalid', 'The receipt handle is not valid.');
      }
      default:
        return refused('InvalidAction', `This fake knows no ${action}`);
    }
  };
}

const problemOf = ({ MessageBody, MessageAttributes }: z.infer<typeof Sent>): string | undefined => {
  const texts = [MessageBody, ...Object.values(MessageAttributes).map(({ StringValue = '' }) => StringValue)];
  if (texts.some((text) => text === '' || !TAKEN.test(text))) return 'InvalidMessageContents';
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return size > LARGEST ? 'InvalidParameterValue' : undefined;
};

function send(queue: FakeQueue, sent: z.infer<typeof Sent>): Answer {
  const problem = problemOf(sent);
  if (problem) return refused(problem, 'The message is not taken.');
  const MessageId = queue.send(sent.MessageBody, sent.DelaySeconds, sent.MessageAttributes);
  return ok({ MessageId, MD5OfMessageBody: md5(sent.MessageBody) });
}

function sendBatch(queue: FakeQueue, input: unknown, refuse: ReadonlyMap<number, string>): Answer {
  const { Entries } = z.object({ Entries: z.array(Sent.extend({ Id: z.string() })).min(1) }).parse(input);
  if (Entries.length > 10) return refused('TooManyEntriesInBatchRequest', 'Maximum number of entries is 10.');
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const [index, entry] of Entries.entries()) {
    const Code = refuse.get(index) ?? problemOf(entry);
    if (Code !== undefined) Failed.push({ Id: entry.Id, Code, SenderFault: !refuse.has(index), Message: 'no' });
    else {
      const MessageId = queue.send(entry.MessageBody, entry.DelaySeconds, entry.MessageAttributes);
      Successful.push({ Id: entry.Id, MessageId, MD5OfMessageBody: md5(entry.MessageBody) });
    }
  }
  return ok({ Successful, Failed });
}
