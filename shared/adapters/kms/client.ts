import { KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';

/** A client whose requests may be tried again: to sign a text twice is the same as once. */
export const kmsClient = (config: KMSClientConfig = {}): KMSClient =>
  new KMSClient({
    maxAttempts: 3,
    // Without `throwOnRequestTimeout` the SDK only logs that a request takes long (@smithy/node-http-handler).
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
    ...config,
  });
