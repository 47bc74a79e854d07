import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { type HttpResult, requestOf } from '../interact.ts';
import type { Log } from '../log.ts';
import { budgets } from './budget.ts';
import { Observations } from './observations.ts';
import { type Kind, problem } from './problem.ts';
import { signedBy, verify } from './verify.ts';

/** Where watchers post. */
export const OBSERVATIONS = '/v1/observations';
/** No post of a watcher is half as large. */
const LARGEST = 256 * 1024;
/** The answer to who should come again because of us, in seconds. */
const SOON = 5;

/** What the ingest keeps from one request to the next. */
export interface IngestParts {
  /** Publishes for good. Throws: run me again. */
  readonly bus: Bus;
  readonly store: Pick<Store, 'get' | 'put'>;
  /** The store's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** The keys of a registered cluster; undefined: there is no such cluster. Throws where they cannot be read now. */
  readonly keys: (cluster: string) => Promise<readonly string[] | undefined>;
}

export interface IngestOptions {
  /** Opens the parts at the first request, and anew where it threw. */
  readonly open: () => Promise<IngestParts>;
  readonly log: Log;
  /** Counts what was not taken, by kind. */
  readonly refused?: (kind: Kind) => void;
}

/** A refusal on the way through, thrown and caught here alone. */
class Refusal extends Error {
  readonly answer: Response;
  readonly kind: Kind;
  constructor(kind: Kind, detail: string, headers?: Readonly<Record<string, string>>) {
    super(detail);
    this.kind = kind;
    this.answer = problem(kind, detail, headers);
  }
}

/** The way in for watchers: each post verified, of its own cluster, taken once, and within its cluster's budget. */
export function ingest({ open, log, refused = () => {} }: IngestOptions): Hono {
  const app = new Hono();
  let opened: Promise<IngestParts> | undefined;
  let spend: ReturnType<typeof budgets>['spend'] | undefined;

  async function parts(): Promise<IngestParts> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const known = await opened;
    spend ??= budgets(known.clock).spend;
    return known;
  }

  app.post(OBSERVATIONS, async (c) => {
    const body = await bodyOf(c);
    const known = await parts();
    const { cluster, id } = await senderOf(c, body, known);
    const allowed = spend?.(cluster) ?? { ok: true };
    if (!allowed.ok)
      throw new Refusal('too-many', 'This cluster has sent more than its share: gather more before sending', {
        'retry-after': String(allowed.seconds),
      });
    const receipt = `ingest:${cluster}:${id}`;
    if (await known.store.get('receipt', receipt))
      throw new Refusal('replayed', 'A request of this webhook-id was taken');
    const { facts } = read(body, cluster);
    await known.bus.publish(facts.map((fact) => ({ fact })));
    // After, not before: a crash between the two publishes again, which changes nothing; the other way it would be lost.
    const at = known.clock.now().toISOString();
    await known.store.put('receipt', { schema: 1, id: receipt, at, answer: { ok: true, because: 'taken' } }, 0);
    return c.json({ taken: facts.length }, 202);
  });
  app.all(OBSERVATIONS, (c) => c.text('Watchers post here.\n', 405, { allow: 'POST' }));
  app.notFound((c) => c.text('There is nothing here.\n', 404));
  app.onError((error) => {
    if (!(error instanceof Refusal)) {
      log.error({ because: String(error) }, 'a post of a watcher could not be taken');
      return problem('unavailable', 'Gleaner cannot take it now: send it again', { 'retry-after': String(SOON) });
    }
    refused(error.kind);
    // What every watcher of an old key or a wrong clock would say each second is no warning each second.
    log.info({ kind: error.kind, because: error.message }, 'a post was not taken');
    return error.answer;
  });
  return app;
}

async function bodyOf(c: Context): Promise<Uint8Array> {
  const { req } = c;
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '');
  if (!isJson || (req.header('content-encoding') ?? 'identity') !== 'identity')
    throw new Refusal('not-json', 'Send application/json, not compressed');
  const tooLarge = () => new Refusal('too-large', `Send ${LARGEST} bytes at most: name fewer objects`);
  if (Number(req.header('content-length') ?? 0) > LARGEST) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Not all at once: a sender that says no length is cut off at the limit.
  for await (const chunk of req.raw.body ?? []) {
    size += chunk.length;
    if (size > LARGEST) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Whom a request is from. Of an unknown cluster as much is told as of a wrong key. */
async function senderOf({ req }: Context, body: Uint8Array, { keys, clock }: IngestParts) {
  const cluster = req.header('gleaner-cluster') ?? '';
  const signed = signedBy((name) => req.header(name));
  if (!signed || !/^[\w-]{1,100}$/.test(cluster))
    throw new Refusal('unauthenticated', 'Sign the request: gleaner-cluster, webhook-id, -timestamp and -signature');
  const verified = verify(signed, body, (await keys(cluster)) ?? [], clock.now());
  if (!verified.ok) throw new Refusal('unauthenticated', `${verified.because} (cluster ${cluster})`);
  return { cluster, id: signed.id };
}

function read(body: Uint8Array, cluster: string): Observations {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal('unreadable', 'The body is no JSON in UTF-8');
  }
  const parsed = Observations.safeParse(json);
  if (!parsed.success) throw new Refusal('unreadable', firstOf(parsed.error));
  if (parsed.data.facts.some((fact) => fact.cluster !== cluster))
    throw new Refusal('unreadable', 'The key of one cluster signs for that cluster alone');
  return parsed.data;
}

/** Where the first problem is, and never what was there. */
function firstOf({ issues: [issue] }: z.ZodError): string {
  const path = (issue?.path ?? []).map((key) => (/^\w{1,30}$/.test(String(key)) ? String(key) : '?')).join('.');
  const what =
    issue?.code === 'unrecognized_keys' ? 'it has a key that is not known' : (issue?.message ?? 'it is wrong');
  return `${path || 'The body'}: ${what}`;
}

/** The same behind an HTTP API, format 2.0. */
export function lambdaIngest(options: IngestOptions) {
  const app = ingest(options);
  return async (event: unknown): Promise<HttpResult> => {
    const request = requestOf(event);
    if (!request) return { statusCode: 400, headers: {}, body: 'This cannot be read.\n' };
    const response = await app.fetch(request);
    const headers = Object.fromEntries(response.headers);
    return { statusCode: response.status, headers, body: await response.text() };
  };
}
