import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KeyPair } from './pki.ts';

/** An answer of the API server. The body is parsed where it is JSON, and text otherwise. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends one request; rejects when there is no answer within 30 s. */
export type Request = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** A JSON client that shows a certificate. It never retries: a test sees what really happened. */
export function createRequester(url: string, ca: string, keys: KeyPair): { request: Request; close(): void } {
  const agent = new Agent({
    ca: readFileSync(ca),
    cert: readFileSync(keys.cert),
    key: readFileSync(keys.key),
    keepAlive: true,
    maxSockets: 8,
  });
  return {
    close: () => agent.destroy(),
    async request(method, path, body, headers = {}) {
      const sentBody = body === undefined ? '' : JSON.stringify(body);
      // Node gives the body of a DELETE no length by itself; the server would read it as the next request.
      const length = { 'Content-Length': Buffer.byteLength(sentBody) };
      const options = {
        method,
        agent,
        headers: { 'Content-Type': contentType(method), Accept: 'application/json', ...length, ...headers },
        signal: AbortSignal.timeout(30_000),
      };
      const received = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(new URL(path, url), options, resolve).once('error', reject);
        sent.end(sentBody);
      });
      const said = await text(received);
      return { code: received.statusCode ?? 0, body: parsed(said), headers: received.headers };
    },
  };
}

function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
