import { EventBridgeClient, type EventBridgeClientConfig } from '@aws-sdk/client-eventbridge';

/** A client that gives up early and tries nothing again by itself: the bus does, and knows which entries. */
export const eventBridgeClient = (config: EventBridgeClientConfig = {}): EventBridgeClient =>
  new EventBridgeClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    ...config,
  });
