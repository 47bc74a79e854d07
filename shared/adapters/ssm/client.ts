import { SSMClient, type SSMClientConfig } from '@aws-sdk/client-ssm';

/** A client for reads, which may be tried again: SSM takes 40 of them a second in an account until it is told otherwise. */
export const ssmClient = (config: SSMClientConfig = {}): SSMClient =>
  new SSMClient({
    maxAttempts: 4,
    // Without `throwOnRequestTimeout` the SDK only logs that a request takes long (@smithy/node-http-handler).
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
    ...config,
  });
