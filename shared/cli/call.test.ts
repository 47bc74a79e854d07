import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { call } from './call.ts';

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** A server that answers in one way. */
async function answering(answer: (response: ServerResponse, seen: { auth: string | undefined }) => void) {
  server = createServer((request, response) => answer(response, { auth: request.headers.authorization }));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const { port } = z.object({ port: z.number() }).parse(address satisfies AddressInfo | string | null);
  return { url: `http://127.0.0.1:${port}`, token: 'canary-token', pid: 7 };
}
const Answer = z.object({ n: z.number() });

describe('A call of a running Gleaner', () => {
  it('reads its answer', async () => {
    const there = await answering((response, { auth }) => response.end(JSON.stringify({ n: auth?.length })));

    expect(await call(there, { path: '/x' }, Answer)).toEqual({ is: 'ok', status: 200, value: { n: 19 } });
  });

  it.each([
    ['something else', (r: ServerResponse) => r.end('{"m":1}'), /is no Gleaner/],
    ['a page', (r: ServerResponse) => r.end('<html>'), /is no Gleaner/],
    ["a proxy's error", (r: ServerResponse) => r.writeHead(502).end('Bad Gateway'), /HTTP 502, and not as a Gleaner/],
    [
      'half an answer',
      (r: ServerResponse) => r.writeHead(200, { 'content-length': 99 }).write('{', () => r.destroy()),
      /broke off/,
    ],
    ['no answer', (r: ServerResponse) => r.destroy(), /did not answer \(ECONNRESET\)/],
  ])('calls %s lost, and never names the token', async (_what, answer, because) => {
    const there = await answering(answer);

    const said = await call(there, { method: 'POST', path: '/x', body: {} }, Answer);

    expect(said).toEqual({ is: 'lost', because: expect.stringMatching(because) });
    expect(JSON.stringify(said)).not.toContain('canary');
  });

  it('tells a process that ended', async () => {
    const there = await answering(() => {});
    await new Promise<void>((resolve) => server?.close(() => resolve()));

    expect(await call(there, { path: '/x' }, Answer)).toEqual({
      is: 'unreachable',
      because: 'the Gleaner that ran as process 7 does not run any more: start it',
    });
  });
});
