import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** A client that gives up early and tries nothing again by itself: what is not done comes again with its message. */
export const sqsClient = (config: SQSClientConfig = {}): SQSClient =>
  new SQSClient({ maxAttempts: 1, requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 }, ...config });
