import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RefusedKind } from './refused.ts';

/** A request's body may have so many bytes. Slack's largest, a modal with its state, has far less. */
export const LARGEST = 1_048_576;
/** Slack's own advice, and in both directions: who has a clock that is ahead would else have a signature for later. */
const WINDOW_SECONDS = 300;
/** docs.slack.dev/authentication/verifying-requests-from-slack */
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const TIMESTAMP = /^[0-9]{1,12}$/;
const MEDIA = /^application\/(?:x-www-form-urlencoded|json)$/i;

export interface Secrets {
  readonly current: string;
  /** The one before, while it is being exchanged. */
  readonly former?: string | undefined;
}

/**
 * What a request is, by its headers and its raw bytes. `key` is the same for the same request sent again, and nothing
 * that a signature could be told from.
 */
export type Verified =
  | { readonly is: 'genuine'; readonly key: string }
  | { readonly is: 'refused'; readonly status: 401 | 413 | 415; readonly kind: RefusedKind; readonly because: string };

const refused = (status: 401 | 413 | 415, kind: RefusedKind, because: string): Verified => ({
  ...{ is: 'refused', status, kind, because },
});

export const tooLarge = () => refused(413, 'too-large', `a body of more than ${LARGEST} bytes`);

/** Whether Slack signed these very bytes, now. Nothing of them is read before. A header that comes twice is joined by a comma, and is none. */
export function verify(secrets: Secrets, now: Date, headers: Headers, body: Uint8Array): Verified {
  if (body.byteLength > LARGEST) return tooLarge();
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') return refused(415, 'encoded', 'a body that is compressed: Slack sends none');
  const [media = ''] = (headers.get('content-type') ?? '').split(';');
  if (!MEDIA.test(media.trim())) return refused(415, 'media-type', 'a body that is neither a form nor JSON');
  const signature = headers.get('x-slack-signature') ?? '';
  const timestamp = headers.get('x-slack-request-timestamp') ?? '';
  if (!SIGNATURE.test(signature)) return refused(401, 'unsigned', 'no signature, or several');
  if (!TIMESTAMP.test(timestamp)) return refused(401, 'unsigned', 'no time of signing, or several');
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (Math.abs(age) > WINDOW_SECONDS) return refused(401, 'stale', staleness(age));
  if (!isSigned(secrets, timestamp, body, signature))
    return refused(401, 'forged', 'a signature that is not of SLACK_SIGNING_SECRET');
  return { is: 'genuine', key: createHash('sha256').update(signature).digest('hex') };
}

const staleness = (age: number) =>
  age > 0
    ? `a request that was signed ${age} s ago: an old one, or the clock here is ahead`
    : `a request that is signed for ${-age} s from now: the clock here is behind`;

/** Both secrets are always tried, so that the time taken does not tell which one is in use. */
function isSigned({ current, former = current }: Secrets, timestamp: string, body: Uint8Array, said: string): boolean {
  const given = Buffer.from(said);
  const fits = [current, former].map((secret) => {
    // An empty key would let everybody sign.
    if (secret === '') return false;
    const mac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
    return timingSafeEqual(Buffer.from(`v0=${mac}`), given);
  });
  return fits.includes(true);
}
