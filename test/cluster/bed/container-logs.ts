import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpsEndpoint, serveHttps } from './https-endpoint.ts';
import type { Pki } from './pki.ts';

/** What a container has written, line by line, and what its predecessor wrote before it ended. */
export interface ContainerLog {
  readonly current: readonly string[];
  readonly previous?: readonly string[];
}

/** Serves `GET /containerLogs/<namespace>/<pod>/<container>` as a kubelet does, to the API server alone. */
export function serveContainerLogs(pki: Pki, logs: ReadonlyMap<string, ContainerLog>): Promise<HttpsEndpoint> {
  return serveHttps({ keys: pki.serving, clientCa: readFileSync(pki.ca.cert) }, (request, response) => {
    answer(request, response, logs);
  });
}

function answer(request: IncomingMessage, response: ServerResponse, logs: ReadonlyMap<string, ContainerLog>): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node');
  const [, route, namespace, pod, container] = pathname.split('/');
  if (route !== 'containerLogs') return void response.writeHead(404).end();
  const log = logs.get(`${namespace}/${pod}/${container}`);
  const previous = searchParams.get('previous') === 'true';
  const lines = previous ? log?.previous : (log?.current ?? []);
  if (!lines) {
    // kubelet: pkg/kubelet/kubelet_pods.go validateContainerLogStatus, as 400 by pkg/kubelet/server/server.go
    const reason = `previous terminated container "${container}" in pod "${pod}" not found`;
    return void response.writeHead(400, { 'Content-Type': 'text/plain' }).end(reason);
  }
  const tail = searchParams.get('tailLines');
  const kept = tail === null ? lines : lines.slice(Math.max(0, lines.length - Number(tail)));
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end(kept.map((line) => `${line}\n`).join(''));
}
