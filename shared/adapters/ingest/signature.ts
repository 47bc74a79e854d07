import { createHmac } from 'node:crypto';

/** A cluster's key as it is handed out: `whsec_` and the base64 of 24 to 64 random bytes (Standard Webhooks). */
const KEY = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The bytes of a key. Throws an Error, which does not quote it, where it is none. */
export function bytesOf(key: string): Buffer {
  const bytes = Buffer.from(KEY.exec(key)?.[1] ?? '', 'base64');
  if (bytes.length < 24 || bytes.length > 64)
    throw new Error('A key for ingest is no `whsec_…` of 24 to 64 bytes: take it from `gleaner connect`');
  return bytes;
}

/** The keys in a text, one a line; while keys change there are two. Throws where there is none. */
export function keysIn(text: string): readonly string[] {
  const keys = text.split(/\s+/).filter(Boolean);
  for (const key of keys) bytesOf(key);
  if (keys.length === 0) throw new Error('There is no key for ingest in the file: put the cluster’s `whsec_…` there');
  return keys;
}

/**
 * `webhook-signature`: one `v1,` signature per key, so that whoever knows one of them can verify
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function signatures(keys: readonly string[], id: string, timestamp: number, body: string): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', bytesOf(key)).update(signed).digest('base64')}`).join(' ');
}
