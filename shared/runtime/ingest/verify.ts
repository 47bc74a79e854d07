import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a sender's clock may be from ours, before or behind, in seconds. */
const TOLERANCE = 300;
/** More signatures than keys that change need: each costs a comparison. */
const MOST = 8;

/** What of a request says who sent it. */
export interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

export type Verified = { readonly ok: true } | { readonly ok: false; readonly because: string };

/** The three headers of Standard Webhooks, where each is there and could be one. */
export function signedBy(header: (name: string) => string | undefined): Signed | undefined {
  const [id = '', timestamp = '', signature = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    header,
  );
  // A header that came twice is joined by a comma: neither an id nor a time has one.
  const isOne = /^[\w-]{8,100}$/.test(id) && /^\d{1,12}$/.test(timestamp) && signature.length > 0;
  return isOne && signature.length <= 1_000 ? { id, timestamp, signature } : undefined;
}

/**
 * Whether one of the signatures is one of the keys' over these very bytes, made within five minutes of `now`
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function verify(signed: Signed, body: Uint8Array, keys: readonly string[], now: Date): Verified {
  const { id, timestamp, signature } = signed;
  const given = signature
    .split(' ')
    .slice(0, MOST)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []));
  // Every pair is compared, so that the time tells nothing of which one fits.
  const fits = keys
    .map((key) => signatureBy(key, id, timestamp, body))
    .flatMap((expected) => given.map((one) => one.length === expected.length && timingSafeEqual(one, expected)))
    .filter(Boolean);
  const late = now.getTime() / 1000 - Number(timestamp);
  if (fits.length === 0) return { ok: false, because: 'no signature fits the cluster’s keys' };
  if (Math.abs(late) <= TOLERANCE) return { ok: true };
  const where = late > 0 ? 'behind' : 'ahead of';
  return { ok: false, because: `the sender’s clock is more than five minutes ${where} ours: let NTP set it` };
}

function signatureBy(key: string, id: string, timestamp: string, body: Uint8Array): Buffer {
  const secret = Buffer.from(key.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
}
