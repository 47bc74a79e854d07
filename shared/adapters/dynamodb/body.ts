import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Up to here an item stands as plain JSON. DynamoDB bills each begun KB of each write: what is longer is compressed. */
const PLAIN = 8 * 1024;
/**
 * What a row may hold beside its keys and counters: an item has 400 KB at most, names of attributes included
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
 */
export const LARGEST = 390_000;
/** No row of ours unpacks to more: what does was not written by Gleaner. */
const UNPACKED = 64 * 1024 * 1024;

/**
 * The JSON of an item as a row holds it: as one string, which has none of the traps of marshalling (empty strings, sets,
 * numbers beyond doubles) and one attribute's overhead; compressed where it is long; in parts where even that is too large.
 */
export type Body =
  | { readonly is: 'json'; readonly json: string }
  | { readonly is: 'packed'; readonly packed: Uint8Array }
  | { readonly is: 'parts'; readonly parts: readonly Uint8Array[] };

export function bodyOf(json: string): Body {
  if (Buffer.byteLength(json) <= PLAIN) return { is: 'json', json };
  const packed = gzipSync(json, { level: 6 });
  if (packed.byteLength <= LARGEST) return { is: 'packed', packed };
  const count = Math.ceil(packed.byteLength / LARGEST);
  const parts = Array.from({ length: count }, (_each, n) => packed.subarray(n * LARGEST, (n + 1) * LARGEST));
  return { is: 'parts', parts };
}

export const unpacked = (packed: Uint8Array): string => gunzipSync(packed, { maxOutputLength: UNPACKED }).toString();

/** The attributes of a body. A row has one of them. */
export function attributesOf(body: Body): Readonly<Record<'json' | 'packed' | 'parts', AttributeValue | undefined>> {
  return {
    json: body.is === 'json' ? { S: body.json } : undefined,
    packed: body.is === 'packed' ? { B: body.packed } : undefined,
    parts: body.is === 'parts' ? { N: `${body.parts.length}` } : undefined,
  };
}
