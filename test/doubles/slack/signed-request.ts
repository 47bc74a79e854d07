import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A request of Slack's, ready to be sent: twice, changed, or as an event of a Lambda function URL. */
export interface SignedRequest {
  /** Names are lower case; a name may stand there twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What to make of a request other than Slack would. */
export interface Forge {
  /** Signs with this instead of the app's signing secret. */
  readonly secret?: string;
  /** Sent instead of the true signature: several make several headers, none leaves the header out. */
  readonly signature?: readonly string[];
  /** Signed and sent as `X-Slack-Request-Timestamp`, in seconds or as the text given. */
  readonly timestamp?: number | string;
  /** Sent instead of `X-Slack-Request-Timestamp`'s one value, and not signed. */
  readonly timestamps?: readonly string[];
  /** Changes the body before it is signed. */
  readonly rewrite?: (body: string) => string | Buffer;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: Buffer) => Buffer;
  readonly contentType?: string;
  /** Compresses the signed body, and says so. */
  readonly gzip?: boolean;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Slack's signature of a body. Source: docs.slack.dev/authentication/verifying-requests-from-slack. */
export const signatureOf = (secret: string, timestamp: number | string, body: string | Buffer): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

/** Signs a body as Slack does, or as the forgery says. */
export function signedRequest(
  { body, contentType, secret, at }: { body: string; contentType: string; secret: string; at: Date },
  forge: Forge = {},
): SignedRequest {
  const timestamp = forge.timestamp ?? Math.floor(at.getTime() / 1000);
  const signed = Buffer.from(forge.rewrite?.(body) ?? body);
  const signatures = forge.signature ?? [signatureOf(forge.secret ?? secret, timestamp, signed)];
  const sent = forge.tamper?.(signed) ?? signed;
  return {
    headers: [
      ['user-agent', 'Slackbot 1.0 (+https://api.slack.com/robots)'],
      ['accept', 'application/json,*/*'],
      ['content-type', forge.contentType ?? contentType],
      ...(forge.timestamps ?? [String(timestamp)]).map((value) => ['x-slack-request-timestamp', value] as const),
      ...signatures.map((value) => ['x-slack-signature', value] as const),
      ...(forge.gzip ? [['content-encoding', 'gzip'] as const] : []),
      ...(forge.headers ?? []),
    ],
    body: forge.gzip ? gzipSync(sent) : sent,
  };
}

/** A request as a Lambda function URL or an HTTP API hands it to a function (payload format 2.0). */
export function lambdaEvent({ headers, body }: SignedRequest, { path = '/slack/events', base64 = false } = {}) {
  const joined = new Map<string, string>();
  // AWS joins a header that stands there twice with a comma.
  for (const [name, value] of headers) joined.set(name, joined.has(name) ? `${joined.get(name)},${value}` : value);
  return {
    version: '2.0' as const,
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: Object.fromEntries(joined),
    requestContext: {
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'Slackbot' },
    },
    isBase64Encoded: base64,
    body: body.toString(base64 ? 'base64' : 'utf8'),
  };
}
