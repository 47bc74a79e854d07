import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SignedRequest } from './signed-request.ts';

/** What came back for a request, or why nothing did. */
export interface HttpAnswer {
  /** undefined where no answer came in time. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds of the machine's own clock until the whole answer was there. */
  readonly tookMs: number;
  readonly problem: 'timeout' | 'connection' | undefined;
}

/** Sends a request over plain HTTP; gives up after `within` milliseconds, as Slack does after three seconds. */
export async function deliver(url: string, { headers, body }: SignedRequest, within: number): Promise<HttpAnswer> {
  const began = performance.now();
  const took = () => performance.now() - began;
  try {
    const { status, head, said } = await send(url, { headers, body }, AbortSignal.timeout(within));
    return { status, headers: head, body: said, tookMs: took(), problem: undefined };
  } catch {
    const problem = took() >= within ? 'timeout' : 'connection';
    return { status: undefined, headers: {}, body: '', tookMs: took(), problem };
  }
}

function send(url: string, { headers, body }: SignedRequest, signal: AbortSignal) {
  return new Promise<{ status: number; head: Record<string, string>; said: string }>((resolve, reject) => {
    // A flat list of names and values is the one form in which node sends a header twice.
    const flat = [...headers, ['host', new URL(url).host], ['content-length', String(body.length)]].flat();
    const request = httpRequest(url, { method: 'POST', headers: flat, signal, agent: false }, (response) => {
      const head = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      );
      text(response).then((said) => resolve({ status: response.statusCode ?? 0, head, said }), reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
