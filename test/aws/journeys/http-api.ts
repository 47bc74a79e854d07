import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { portOf } from '../../kubernetes/loopback.ts';
import type { Lambda } from './lambda.ts';

/** An HTTP API of API Gateway before one function: payload format 2.0, as it hands on what it got. */
export interface HttpApi {
  /** The address for Slack. */
  readonly url: string;
  close(): Promise<void>;
}

const Answer = z.object({ statusCode: z.number(), headers: z.record(z.string(), z.string()), body: z.string() });
const PATH = '/slack/interactions';

export async function httpApi(target: Lambda): Promise<HttpApi> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const headers = Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(',')]);
    const event = {
      ...{ version: '2.0', routeKey: `POST ${PATH}`, rawPath: request.url ?? '/', rawQueryString: '' },
      headers: Object.fromEntries(headers),
      requestContext: { http: { method: request.method ?? 'GET', path: request.url ?? '/', sourceIp: '127.0.0.1' } },
      // API Gateway encodes what it does not take for text; a form is one.
      ...{ body: body.toString('base64'), isBase64Encoded: true },
    };
    try {
      const answer = Answer.parse(await target.invoke(event));
      response.writeHead(answer.statusCode, answer.headers).end(answer.body);
    } catch {
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}');
    }
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}${PATH}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}
