import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import * as z from 'zod';
import type { Session } from '../../ports/session.ts';
import { type EdgeQueues, edgePolicy, queueNamed } from './edge-rights.ts';

/** Seconds. A role that assumes another one gets an hour at most (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). */
const LASTS = 3_600;

export const stsClient = (config: STSClientConfig = {}): STSClient =>
  new STSClient({
    maxAttempts: 3,
    // Without `throwOnRequestTimeout` the SDK only logs that a request takes long (@smithy/node-http-handler).
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...config,
  });

export interface SessionsOptions {
  readonly client: Pick<STSClient, 'send'>;
  /** The ARN of the role that sessions are cut from. */
  readonly role: string;
  readonly queues: EdgeQueues;
  /** The same queues by their URLs. */
  readonly urls: EdgeQueues;
  readonly region: string;
}

/** Gives out sessions, each for the queue of one cluster. Throws an Error of one line where STS gives none. */
export function sessionsBy({
  client,
  role,
  queues,
  urls,
  region,
}: SessionsOptions): (cluster: string) => Promise<Session> {
  return async (cluster) => {
    const command = new AssumeRoleCommand({
      ...{ RoleArn: role, RoleSessionName: `edge-${cluster}`.slice(0, 64), DurationSeconds: LASTS },
      Policy: JSON.stringify(edgePolicy(queues, cluster)),
    });
    const { Credentials: given } = await client.send(command).catch((error: unknown) => {
      // By its name alone: its message may quote what was asked.
      const { name = 'Error' } = z.object({ name: z.string() }).safeParse(error).data ?? {};
      throw new Error(`STS gives no session for ${role} (${name}): check its trust in this function’s role`);
    });
    if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken || !given.Expiration)
      throw new Error('STS answered without credentials');
    return {
      accessKeyId: given.AccessKeyId,
      secretAccessKey: given.SecretAccessKey,
      sessionToken: given.SessionToken,
      expiration: given.Expiration.toISOString(),
      region,
      queue: queueNamed(urls.prefix, cluster),
      deadLetters: urls.deadLetters,
    };
  };
}
