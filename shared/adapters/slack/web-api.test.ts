import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { slackApi } from './web-api.ts';

const CANARY = 'xoxb-canary-5f2c';

/** The unmodified client, against a server that answers each request by `answer`. */
async function against(answer: (response: ServerResponse, calls: number) => void) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response, ++calls));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/`;
  const called = await slackApi({ token: CANARY, url, timeout: 300 }).call(
    'chat.postMessage',
    { channel: 'C1', text: 't' },
    Ts,
  );
  return { called, calls: () => calls };
}

const Ts = z.object({ ts: z.string() });
const says =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

it.each<[string, (response: ServerResponse) => void, object]>([
  [
    'an answer',
    says({ ok: true, ts: '1.2' }, 200, { 'x-oauth-scopes': 'chat:write, commands' }),
    { is: 'ok', value: { ts: '1.2' }, scopes: ['chat:write', 'commands'] },
  ],
  ['an answer without what it must hold', says({ ok: true }), { is: 'uncertain' }],
  ['429 with a time', says('', 429, { 'retry-after': '120' }), { is: 'throttled', retryAfter: 120_000 }],
  ['429 without one', says('', 429), { is: 'throttled', retryAfter: 30_000 }],
  ['429 with a time that is none', says('', 429, { 'retry-after': 'soon' }), { is: 'throttled', retryAfter: 30_000 }],
  ['ratelimited in the body', says({ ok: false, error: 'ratelimited' }), { is: 'throttled', retryAfter: 30_000 }],
  ['a refusal', says({ ok: false, error: 'not_in_channel' }), { is: 'refused', code: 'not_in_channel' }],
  [
    'a missing scope',
    says({ ok: false, error: 'missing_scope', needed: 'chat:write' }),
    { is: 'refused', code: 'missing_scope', needed: 'chat:write' },
  ],
  ['an error that may have done it', says({ ok: false, error: 'internal_error' }), { is: 'uncertain' }],
  ['a service that is down', says({ ok: false, error: 'service_unavailable' }), { is: 'unreachable' }],
  ['HTTP 503', says('down', 503), { is: 'uncertain' }],
  ['HTTP 403 of a proxy', says('<html>', 403), { is: 'unreachable' }],
  ['a page of a proxy', says('<html>Sign in, xoxb-canary-5f2c</html>'), { is: 'uncertain' }],
  ['a redirect', says('', 302, { location: 'http://169.254.169.254/' }), { is: 'uncertain' }],
  ['a reset', (response) => response.destroy(), { is: 'uncertain' }],
  [
    'a body that breaks off',
    (response) => void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
    { is: 'uncertain' },
  ],
  ['a hang', () => {}, { is: 'uncertain' }],
  ['a body that hangs', (response) => void response.writeHead(200).write('{'), { is: 'uncertain' }],
])('A call that meets %s is one value after one request, without the token', async (_what, answer, expected) => {
  const { called, calls } = await against(answer);

  expect(called).toMatchObject(expected);
  expect(calls()).toBe(1);
  expect(JSON.stringify(called)).not.toContain('canary');
});

it('A call that meets nobody was not done', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const api = slackApi({ token: CANARY, url: `http://127.0.0.1:${port}/api/` });

  expect(await api.call('auth.test', {}, Ts)).toEqual({
    is: 'unreachable',
    because: 'Slack did not answer auth.test: ECONNREFUSED',
  });
});
