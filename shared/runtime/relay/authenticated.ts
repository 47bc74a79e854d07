import type { Context } from 'hono';
import type { Clock } from '../../ports/clock.ts';
import { problem } from '../ingest/problem.ts';
import { signedBy, verify } from '../ingest/verify.ts';

/** An item of the store has 400 KB at most, a batch of events 256 KB. */
const LARGEST = 1024 * 1024;

/** What is known of senders. */
export interface SenderParts {
  /** The store's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** The keys of a cluster that works at its edge; undefined: there is no such cluster. Throws where they cannot be read now. */
  readonly keys: (cluster: string) => Promise<readonly string[] | undefined>;
}

/** Whom a request is from, and its body. */
export interface Sender {
  readonly cluster: string;
  readonly json: unknown;
}

/** A refusal on the way through, thrown and caught in this folder alone. */
export class Refusal extends Error {
  readonly kind: Parameters<typeof problem>[0] | 'forbidden';
  readonly headers: Readonly<Record<string, string>>;
  constructor(kind: Refusal['kind'], detail: string, headers: Refusal['headers'] = {}) {
    super(detail);
    this.kind = kind;
    this.headers = headers;
  }

  answer(): Response {
    if (this.kind !== 'forbidden') return problem(this.kind, this.message, this.headers);
    const [status, title] = [403, 'The cluster may not do this'];
    const body = JSON.stringify({ type: 'urn:gleaner:problem:forbidden', title, status, detail: this.message });
    return new Response(body, { status, headers: { 'content-type': 'application/problem+json' } });
  }
}

/** Of an unknown cluster as much is told as of a wrong key. The path is signed with the body: what is for one place is for no other. */
export async function authenticated({ req }: Context, { keys, clock }: SenderParts): Promise<Sender> {
  if (!/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
    throw new Refusal('not-json', 'Send application/json');
  const body = await bodyOf(req.raw);
  const cluster = req.header('gleaner-cluster') ?? '';
  const signed = signedBy((name) => req.header(name));
  if (!signed || !/^[\w-]{1,100}$/.test(cluster))
    throw new Refusal('unauthenticated', 'Sign the request: gleaner-cluster, webhook-id, -timestamp and -signature');
  const verified = verify(
    signed,
    Buffer.concat([Buffer.from(`${req.path}\n`), body]),
    (await keys(cluster)) ?? [],
    clock.now(),
  );
  if (!verified.ok) throw new Refusal('unauthenticated', `${verified.because} (cluster ${cluster})`);
  try {
    return { cluster, json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    throw new Refusal('unreadable', 'The body is no JSON in UTF-8');
  }
}

async function bodyOf({ body }: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Not all at once: a sender that says no length is cut off at the limit.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LARGEST) throw new Refusal('too-large', `Send ${LARGEST} bytes at most`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
