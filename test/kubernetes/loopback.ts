import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { JsonObject } from '../../shared/objects.ts';

/** One request as the server got it. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  readonly contentType: string;
  readonly authorization: string;
}

/** Answers a request, or returns false to leave it to the ordinary answers. */
type Handle = (got: Got, response: ServerResponse) => boolean | undefined;

/** A small server on loopback that misbehaves as the test says, and answers discovery as an API server does. */
export interface Loopback {
  readonly url: string;
  readonly requests: Got[];
  /** A kubeconfig of this server. */
  readonly kubeconfig: string;
  handle: Handle;
  /** The requests for a path, in their order. */
  of(path: string): Got[];
  stop(): Promise<void>;
}

const RESOURCES = [
  { name: 'pods', kind: 'Pod', namespaced: true },
  { name: 'pods/log', kind: 'Pod', namespaced: true },
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { name: 'nodes', kind: 'Node', namespaced: false },
  { name: 'namespaces', kind: 'Namespace', namespaced: false },
];

const ordinary = (uid: string, minor: string): Readonly<Record<string, JsonObject>> => ({
  '/api/v1/namespaces/kube-system': { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid } },
  '/version': { major: '1', minor, gitVersion: `v1.${minor}.4` },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: RESOURCES },
});

/** Answers as JSON. */
export function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  return true;
}

/** An error as the API server words it. */
export const status = (code: number, reason: string, message: string, details?: unknown) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
  ...(details !== undefined && { details }),
});

/** Starts the server. `minor`: the Kubernetes version that it claims; below 27 no list is streamed. */
export async function startLoopback({ uid = 'cluster-uid', minor = '26' } = {}): Promise<Loopback> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-loopback-'));
  const requests: Got[] = [];
  const answers = ordinary(uid, minor);
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const got = await gotOf(request);
    requests.push(got);
    if (loopback.handle(got, response)) return;
    const body = answers[got.path];
    json(response, body ? 200 : 404, body ?? status(404, 'NotFound', `${got.path} not found`));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  const loopback: Loopback = {
    url,
    requests,
    kubeconfig: writeKubeconfig(folder, { server: url }),
    handle: () => false,
    of: (path) => requests.filter((got) => got.path === path),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return loopback;
}

async function gotOf(request: IncomingMessage): Promise<Got> {
  const url = new URL(request.url ?? '/', 'http://server');
  const body = await text(request);
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    body: body === '' ? {} : JSON.parse(body),
    contentType: request.headers['content-type'] ?? '',
    authorization: request.headers.authorization ?? '',
  };
}

/** Writes a kubeconfig into a folder; gives its path. */
export function writeKubeconfig(
  folder: string,
  { server, user = { token: 'secret-canary' }, name = 'loop' }: { server: string; user?: object; name?: string },
): string {
  const path = join(folder, `${name}.yaml`);
  const config = {
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, stringify(config));
  return path;
}

export function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** Asks until it holds, five seconds at most; `meanwhile` lets a test's own clock go on. */
export async function until(what: string, holds: () => boolean, meanwhile: () => void = () => {}): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited 5 s in vain: ${what}`);
    meanwhile();
    await pause(2);
  }
}
