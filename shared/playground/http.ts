import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Json, JsonValue } from '../handler.ts';
import type { Clock } from '../ports/clock.ts';
import { type ApiServer, asAnswer } from './api/api-server.ts';
import type { Answer } from './api/request.ts';
import { badRequest, Refusal } from './api/status.ts';

/** A server on a loopback port. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Ends every connection, also the watches. */
  stop(): Promise<void>;
}

/** apiserver pkg/server/config.go, MaxRequestBodyBytes. */
const MAX_BODY = 3 * 1024 * 1024;
/** What the real API server tells anybody (ClusterRole system:public-info-viewer). */
const PUBLIC = new Set(['/version', '/readyz', '/livez', '/healthz']);

/** Puts the API server behind a socket; every request needs the token, and carries the shared clock's date. */
export function serveApi(api: ApiServer, clock: Clock, token: string): Promise<Listening> {
  return listen((request, response) => {
    // What the client measures time by must be the cluster's clock, not the machine's.
    response.sendDate = false;
    response.setHeader('date', clock.now().toUTCString());
    respond(api, token, request, response).catch((error) => send(response, asAnswer(error)));
  });
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listening> {
  const server = createServer(handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the pretend server got no port of 127.0.0.1');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  api: ApiServer,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request;
  const { path, known } = admitted(request, token);
  if (!known && !PUBLIC.has(path.split('?')[0] ?? '')) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
  if (api.isWatch({ method, path })) return stream(api, path, response);
  const body = await bodyOf(request);
  send(response, await api.answer({ method, path, body, contentType: headers['content-type'] }));
}

/**
 * Who shows the token, as a header or in front of the path: kubectl sends no credentials over plain HTTP
 * (k8s.io/client-go tools/clientcmd/client_config.go, "only try to read the auth information if we are secure").
 */
function admitted({ url = '/', headers }: IncomingMessage, token: string): { path: string; known: boolean } {
  const prefix = `/as/${token}`;
  if (url.startsWith(`${prefix}/`)) return { path: url.slice(prefix.length), known: true };
  return { path: url, known: headers.authorization === `Bearer ${token}` };
}

async function bodyOf(request: IncomingMessage): Promise<Json | undefined> {
  if (request.headers['content-type']?.includes('protobuf')) {
    throw new Refusal(415, 'UnsupportedMediaType', 'the body of the request is protobuf; this server reads JSON');
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) {
    throw new Refusal(413, 'RequestEntityTooLarge', `the request body is larger than ${MAX_BODY} bytes`);
  }
  const said = await text(request);
  if (said === '') return undefined;
  try {
    return JsonValue.parse(JSON.parse(said));
  } catch {
    throw badRequest('the object provided is unrecognized: the body is no JSON');
  }
}

function send(response: ServerResponse, { code, body, headers = {} }: Answer): void {
  const isText = typeof body === 'string' && headers['content-type'] === 'text/plain';
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function stream(api: ApiServer, path: string, response: ServerResponse): void {
  const lines: string[] = [];
  let isOpen = false;
  let isOver = false;
  const end = api.watch(
    { method: 'GET', path },
    {
      tell(event) {
        const line = `${JSON.stringify(event)}\n`;
        if (isOpen) response.write(line);
        else lines.push(line);
      },
      end() {
        isOver = true;
        if (isOpen) response.end();
      },
    },
  );
  // Only now: a watch that cannot begin is refused with a code of its own.
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  isOpen = true;
  if (lines.length > 0) response.write(lines.join(''));
  if (isOver) response.end();
  response.once('close', end);
}
