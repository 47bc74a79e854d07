import * as z from 'zod';

/** One message as a consumer got it. */
export interface Message {
  /** SQS's id, the same in each delivery. */
  readonly id: string;
  readonly body: string;
  /** What this delivery is called when it is postponed. */
  readonly receipt: string;
  /** The how-manieth delivery of the message this is, from 1. SQS counts approximately. */
  readonly attempt: number;
}

/** What Lambda hands in for a batch of a queue, as far as it is read. */
const SqsEvent = z.object({
  Records: z.array(
    z.object({
      messageId: z.string().min(1),
      receiptHandle: z.string(),
      body: z.string(),
      attributes: z.object({ ApproximateReceiveCount: z.coerce.number().int().min(1).catch(1) }),
      eventSource: z.literal('aws:sqs'),
    }),
  ),
});

/** The messages of a batch. Throws where it is none: the function was invoked by something that is no queue. */
export function messagesOf(event: unknown): readonly Message[] {
  const parsed = SqsEvent.safeParse(event);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `This function takes batches of an SQS queue, and was invoked with something else (${issue?.path.join('.')}: ${issue?.message}): check its event source`,
    );
  }
  return parsed.data.Records.map(({ messageId, receiptHandle, body, attributes }) => ({
    ...{ id: messageId, body, receipt: receiptHandle, attempt: attributes.ApproximateReceiveCount },
  }));
}
