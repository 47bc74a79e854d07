import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { INTERACTIONS, interactions, lambdaInteract, type Receiver } from '../../../shared/runtime/interact.ts';
import { lambdaEvent } from '../../doubles/slack/index.ts';
import { portOf } from '../../kubernetes/loopback.ts';

const LOG = { info() {}, warn() {}, error() {} };

/** Something that listens for Slack on loopback. */
export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

/** The route in a server of ours, as a process serves it. */
export async function serveRoute(open: () => Promise<Receiver>): Promise<Listening> {
  const server = serve({ fetch: interactions(open, LOG).fetch, port: 0, hostname: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  return listening(server);
}

/** The route as a function, behind what an HTTP API does: every body comes as base64. */
export async function serveFunction(open: () => Promise<Receiver>): Promise<Listening> {
  const handler = lambdaInteract(open, LOG);
  const server = createServer(async (request, response) => {
    const { url: path = '/', method = 'GET' } = request;
    const event = lambdaEvent({ headers: headersOf(request), body: await buffer(request) }, { path, base64: true });
    const { statusCode, headers, body } = await handler({ ...event, requestContext: { http: { method } } });
    response.writeHead(statusCode, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return listening(server);
}

const listening = (server: ReturnType<typeof serve> | ReturnType<typeof createServer>): Listening => ({
  url: `http://127.0.0.1:${portOf(server.address())}${INTERACTIONS}`,
  stop: () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    }),
});

const headersOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
  );
