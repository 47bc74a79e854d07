import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Clock } from '../../ports/clock.ts';
import type { Box } from './access.ts';
import type { Answer, Answered, Request, Send } from './answer.ts';
import { idIn, SELF } from './introduce.ts';

/** How long an ordinary request may take. */
const PATIENCE = 30_000;
/** How long TCP and TLS may take: an address that swallows packets must not hold up the next one. */
const CONNECT = 6_000;
/** How large an answer may be: a page of 500 large objects stays far below. */
const MOST_BYTES = 256 * 1024 * 1024;

/** An answer whose body has not been read yet, or why there is none. */
type Opened =
  | { readonly is: 'open'; readonly code: number; readonly response: IncomingMessage; end(): void }
  | Exclude<Answer, { is: 'answered' }>;

/** The one way to the API server: keep-alive connections, several addresses, credentials renewed after a 401. */
export interface Transport {
  readonly send: Send;
  /** Sends a GET and gives its body as a stream; `within` is for the head alone. Aborting ends the stream. */
  open(request: Request, signal: AbortSignal): Promise<Opened>;
  /** From now on an address counts only once it has shown that it is this cluster. */
  recognise(id: string): void;
  close(): void;
}

/**
 * `servers`: addresses of the same API server, tried in their order; who answered last is asked first. A request that
 * may have been sent is never sent to another one.
 */
export function transport({ servers, box, wall }: { servers: readonly URL[]; box: Box; wall: Clock }): Transport {
  let preferred = 0;
  let self: string | undefined;
  const proven = new Set<URL>();

  async function open(request: Request, use: 'requests' | 'watches', signal?: AbortSignal): Promise<Opened> {
    let last: Opened = { is: 'not-sent', because: 'no server address is known' };
    for (let tried = 0; tried < servers.length; tried += 1) {
      const index = (preferred + tried) % servers.length;
      const server = servers[index];
      if (!server) break;
      last = (await isAnother(server)) ?? (await openAt(server, request, use, signal));
      if (last.is === 'open') preferred = index;
      if (last.is === 'lost') preferred = (index + 1) % servers.length;
      if (last.is !== 'not-sent') return last;
    }
    preferred = (preferred + 1) % servers.length;
    return last;
  }

  /** A wrong address among several would have a plan of one cluster carried out on another. */
  async function isAnother(server: URL): Promise<Opened | undefined> {
    if (self === undefined || proven.has(server)) return undefined;
    const opened = await openAt(server, { method: 'GET', path: SELF }, 'requests');
    if (opened.is !== 'open') return { is: 'not-sent', because: opened.because };
    const id = idIn(await whole(opened, wall, PATIENCE));
    if (id !== self) return { is: 'not-sent', because: `${server.host} does not show that it is the same cluster` };
    proven.add(server);
    return undefined;
  }

  async function openAt(server: URL, request: Request, use: 'requests' | 'watches', signal?: AbortSignal) {
    for (const fresh of [false, true]) {
      const begun = await begin(server, request, { use, fresh, signal });
      const isStale = begun.is === 'lost' && begun.wasReused && request.method === 'GET';
      const isUnknown = begun.is === 'open' && begun.code === 401;
      if (fresh || !(isStale || isUnknown)) return begun;
      if (begun.is === 'open') begun.end();
      // What the server closed behind one kept connection it closed behind the others too.
      else box.dropIdle();
    }
    throw new Error('unreachable: the second try returns');
  }

  async function begin(
    server: URL,
    request: Request,
    { use, fresh, signal }: { use: 'requests' | 'watches'; fresh: boolean; signal: AbortSignal | undefined },
  ): Promise<Opened & { wasReused?: boolean }> {
    const ticket = await box.ticket(fresh).catch((error: unknown) => String(Object(error).message ?? error));
    if (typeof ticket === 'string') return { is: 'not-sent', because: ticket };
    const url = new URL(server);
    const [path = '', query] = request.path.split('?');
    url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
    url.search = query ?? '';
    const headers = { ...ticket.headers, ...headersOf(request) };
    return exchange(url, { ...request, headers, agent: ticket.agentFor(url, use) }, wall, signal, () => box.dropIdle());
  }

  return {
    async send(request) {
      const opened = await open(request, 'requests');
      return opened.is === 'open' ? whole(opened, wall, request.within ?? PATIENCE) : opened;
    },
    open: (request, signal) => open(request, 'watches', signal),
    recognise(id) {
      self = id;
      const known = servers[preferred];
      if (known) proven.add(known);
    },
    close: () => box.close(),
  };
}

function headersOf({ body, contentType }: Request): Record<string, string> {
  const common = { Accept: 'application/json', 'User-Agent': 'gleaner' };
  if (body === undefined) return common;
  // Node gives the body of a DELETE no length by itself; the server would take it for the next request.
  const length = String(Buffer.byteLength(JSON.stringify(body)));
  return { ...common, 'Content-Type': contentType ?? 'application/json', 'Content-Length': length };
}

interface Outgoing extends Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

/** One request on the wire, up to the head of its answer. */
function exchange(url: URL, outgoing: Outgoing, wall: Clock, signal: AbortSignal | undefined, onSilence: () => void) {
  return new Promise<Opened & { wasReused?: boolean }>((resolve) => {
    const isTls = url.protocol === 'https:';
    const { method, headers, agent, body, within = PATIENCE } = outgoing;
    let mayBeSent = false;
    const sent = (isTls ? tlsRequest : plainRequest)(url, { method, headers, agent });
    const timers = [
      wall.after(within, () => {
        onSilence();
        sent.destroy(new Error(`no answer within ${within / 1000} s`));
      }),
      wall.after(CONNECT, () => {
        if (!mayBeSent) sent.destroy(new Error(`no connection within ${CONNECT / 1000} s`));
      }),
    ];
    const abort = () => sent.destroy(new Error('it was called off'));
    const settle = (opened: Opened & { wasReused?: boolean }) => {
      for (const cancel of timers) cancel();
      resolve(opened);
    };
    const end = () => {
      signal?.removeEventListener('abort', abort);
      sent.destroy();
    };
    signal?.addEventListener('abort', abort, { once: true });
    sent.on('socket', (socket) => {
      const isNew = !sent.reusedSocket && socket.connecting;
      if (isNew) socket.once(isTls ? 'secureConnect' : 'connect', () => (mayBeSent = true));
      else mayBeSent = true;
    });
    sent.on('error', (error) => {
      signal?.removeEventListener('abort', abort);
      const because = `${url.host}: ${causeOf(error)}`;
      settle(mayBeSent ? { is: 'lost', because, wasReused: sent.reusedSocket } : { is: 'not-sent', because });
    });
    sent.on('response', (response) => settle({ is: 'open', code: response.statusCode ?? 0, response, end }));
    if (signal?.aborted) abort();
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Reads the rest of an answer. One that breaks off, or is larger than anything we ask for, is lost. */
async function whole(
  { code, response, end }: Extract<Opened, { is: 'open' }>,
  wall: Clock,
  within: number,
): Promise<Answer> {
  const cancel = wall.after(within, () => response.destroy(new Error(`the answer broke off after ${within / 1000} s`)));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES / 1024 ** 2} MiB`);
    }
    return { is: 'answered', code, headers: response.headers, body: Buffer.concat(chunks, size) } satisfies Answered;
  } catch (error) {
    end();
    return { is: 'lost', because: causeOf(error) };
  } finally {
    cancel();
  }
}

/** Node's errors for several addresses of one name carry their reasons inside. */
function causeOf(error: unknown): string {
  const { message, code, errors } = Object(error);
  if (Array.isArray(errors) && errors.length > 0) return causeOf(errors[0]);
  return String(message || code || error);
}
