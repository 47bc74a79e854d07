import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';

/** What one request answered. */
export interface Answered {
  readonly code: number;
  readonly text: string;
  /** Its Date header. */
  readonly date: string | undefined;
}

export interface CallOptions {
  /** `https://HOST`, where the relay is. */
  readonly url: URL;
  readonly cluster: string;
  /** The bytes of the cluster's keys as they stand now, the newest first. */
  readonly keys: () => Promise<readonly Uint8Array[]>;
  /** The machine's time: the receiver takes five minutes of difference. */
  readonly clock: Pick<Clock, 'now'>;
  /** Posts once, and follows no redirect. Rejects where no answer comes in time. */
  readonly post: (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<Answered>;
  /** Told of each answer's Date header, with the times at which the request went out and the answer came. */
  readonly heard?: (date: string | undefined, sent: Date, received: Date) => void;
}

/**
 * Posts to a path of the relay, signed with the cluster's keys (Standard Webhooks, over the path and the body). Throws an
 * Error of one line, which means "run me again", where it is not answered with 200.
 */
export function signedCall({ url, cluster, keys, clock, post, heard }: CallOptions) {
  return async (path: string, request: object): Promise<unknown> => {
    const body = JSON.stringify(request);
    const sent = clock.now();
    const [id, timestamp] = [`msg_${randomBytes(16).toString('hex')}`, String(Math.floor(sent.getTime() / 1000))];
    const signatures = (await keys()).map((key) => {
      const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${path}\n${body}`);
      return `v1,${hmac.digest('base64')}`;
    });
    const headers = {
      ...{ 'content-type': 'application/json', 'user-agent': 'gleaner-edge', 'gleaner-cluster': cluster },
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
    };
    const { code, text, date } = await post(new URL(path, url), headers, body);
    heard?.(date, sent, clock.now());
    if (code !== 200) throw new Error(`${url.host}${path} answered ${code}: ${text.slice(0, 300)}`);
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${url.host}${path} answered what is no JSON: is it Gleaner’s relay?`);
    }
  };
}
