import type { IncomingMessage } from 'node:http';
import { isObject, type Json, type JsonObject } from '../../../objects.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type Answer, because, explain, retryAfterOf, statusIn } from '../answer.ts';
import { leanText } from '../lean.ts';
import type { Transport } from '../transport.ts';
import { lines } from './lines.ts';

/** How long the head of an answer may take. A watch that is served begins at once. */
const HEAD = 7_000;
/** No object is larger than what etcd stores, 1.5 MiB by default, in either of its writings. */
const MOST_BYTES = 16 * 1024 * 1024;

/** How a watch ended. `over`: the server closed it in order, which is no error. */
export type Ending =
  | { readonly is: 'over' }
  | { readonly is: 'expired'; readonly because: string }
  | { readonly is: 'refused'; readonly code: number; readonly because: string; readonly retryAfter: number | undefined }
  | { readonly is: 'broken'; readonly because: string };

/** What a watch brings. */
export interface Listener {
  /** The server has begun to answer. */
  opened(): void;
  object(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject): void;
  bookmark(resourceVersion: string, isInitialEnd: boolean): void;
}

export interface StreamOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly path: string;
  /** The watch is given up after this long (ms) without a byte. */
  readonly silence: number;
  readonly signal: AbortSignal;
}

/** Follows one watch request to its end. What the listener throws is the end of it, and is thrown. */
export async function stream(options: StreamOptions, listener: Listener): Promise<Ending> {
  const { transport, clock, path, silence, signal } = options;
  const opened = await transport.open({ method: 'GET', path, within: HEAD }, signal);
  if (opened.is !== 'open') return { is: 'broken', because: opened.because };
  const { code, response, end } = opened;
  try {
    if (code !== 200) return refusal(code, response, await bodyOf(response, clock));
    listener.opened();
    return await follow(response, listener, clock, silence);
  } finally {
    end();
  }
}

function refusal(code: number, { headers }: IncomingMessage, body: Buffer): Ending {
  const answer: Answer = { is: 'answered', code, headers, body };
  if (code === 410) return { is: 'expired', because: because(answer) };
  return { is: 'refused', code, because: because(answer), retryAfter: retryAfterOf(answer, 0) || undefined };
}

async function bodyOf(response: IncomingMessage, clock: Clock): Promise<Buffer> {
  const cancel = clock.after(HEAD, () => response.destroy());
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch {
    // The code has been read: a body that breaks off takes nothing from it.
  }
  cancel();
  return Buffer.concat(chunks);
}

function follow(response: IncomingMessage, listener: Listener, clock: Clock, silence: number): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  let lastByte = clock.now().getTime();
  let cancel = clock.after(silence, check);

  function check() {
    const quiet = clock.now().getTime() - lastByte;
    if (quiet >= silence) return finish({ is: 'broken', because: `no byte came for ${Math.round(quiet / 1000)} s` });
    cancel = clock.after(silence - quiet, check);
  }
  function finish(ending: Ending) {
    cancel();
    response.removeAllListeners('data');
    resolve(ending);
  }
  const split = lines((line) => {
    const ending = hear(line, listener);
    if (ending) throw new Ended(ending);
  }, MOST_BYTES);
  response.on('data', (chunk: Buffer) => {
    lastByte = clock.now().getTime();
    try {
      split.push(chunk);
    } catch (error) {
      if (error instanceof Ended) finish(error.ending);
      else if (error instanceof RangeError) finish({ is: 'broken', because: error.message });
      else {
        cancel();
        reject(error);
      }
    }
  });
  response.on('end', () => finish(split.rest() > 0 ? { is: 'broken', because: 'an event broke off' } : { is: 'over' }));
  response.on('error', (error) => finish({ is: 'broken', because: error.message || 'the connection broke off' }));
  response.on('close', () => finish({ is: 'broken', because: 'the connection broke off' }));
  return promise;
}

/** Ends the reading of a chunk in the middle: what follows an error belongs to no watch. */
class Ended extends Error {
  readonly ending: Ending;
  constructor(ending: Ending) {
    super(ending.is);
    this.ending = ending;
  }
}

/** Takes one line; gives how the watch ended where the line says so. */
function hear(line: Buffer, listener: Listener): Ending | undefined {
  const event = parsed(line);
  const object = isObject(event) ? event.object : undefined;
  if (!isObject(event) || !isObject(object)) {
    return { is: 'broken', because: 'a line is no event: something other than an API server wrote into the watch' };
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      listener.object(event.type, object);
      return undefined;
    case 'BOOKMARK': {
      const { resourceVersion, annotations } = Object(object.metadata);
      listener.bookmark(String(resourceVersion ?? ''), annotations?.['k8s.io/initial-events-end'] === 'true');
      return undefined;
    }
    case 'ERROR':
      return failure(object);
    default:
      return { is: 'broken', because: `an event of the unknown type ${JSON.stringify(event.type).slice(0, 40)}` };
  }
}

/** Errors come inside a stream that began with 200, 410 among them. */
function failure(object: JsonObject): Ending {
  const status = statusIn(object);
  const code = status?.code ?? 500;
  const why = status ? explain(status, code) : 'an error without a status';
  if (code === 410) return { is: 'expired', because: why };
  return { is: 'refused', code, because: why, retryAfter: status?.details?.retryAfterSeconds };
}

function parsed(line: Buffer): Json | undefined {
  try {
    return JSON.parse(leanText(line));
  } catch {
    return undefined;
  }
}
