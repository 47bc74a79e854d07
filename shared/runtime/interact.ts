import { Hono } from 'hono';
import * as z from 'zod';
import type { Log } from './log.ts';

/** Takes one request of Slack's and answers it; verifies it by its raw bytes. Never throws. */
export interface Receiver {
  receive(request: Request): Promise<Response>;
}

/** Where Slack sends presses of buttons, forms and commands: the request URL of all three in the app's settings. */
export const INTERACTIONS = '/slack/interactions';

/** The route for Slack, the same in a server and on Lambda. What goes wrong is told without a word of why. */
export function interactions(receiver: () => Promise<Receiver>, log: Log): Hono {
  const app = new Hono();
  app.post(INTERACTIONS, async (c) => (await receiver()).receive(c.req.raw));
  // Slack's look whether the certificate holds is a GET; it wants any good answer.
  app.get(INTERACTIONS, (c) => c.text('Slack posts here.\n'));
  app.all(INTERACTIONS, (c) => c.text('Slack posts here.\n', 405, { allow: 'GET, POST' }));
  app.notFound((c) => c.text('There is nothing here.\n', 404));
  app.onError((error, c) => {
    log.error({ because: String(error) }, 'Slack could not be answered');
    return c.text('Not available now.\n', 503);
  });
  return app;
}

/**
 * What an HTTP API hands a function, format 2.0, as far as it is read
 * (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html). A header that came
 * several times is one, joined by commas.
 */
const HttpEvent = z.object({
  version: z.literal('2.0'),
  rawPath: z.string(),
  headers: z.record(z.string(), z.string()),
  requestContext: z.object({ http: z.object({ method: z.string() }) }),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().default(false),
});

/** What it takes as the answer. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The route as a function behind an HTTP API. The receiver is opened at the first request, and anew where that failed. */
export function lambdaInteract(open: () => Promise<Receiver>, log: Log) {
  let opened: Promise<Receiver> | undefined;
  const receiver = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const app = interactions(receiver, log);
  return async (event: unknown): Promise<HttpResult> => {
    const request = requestOf(event);
    if (!request) return { statusCode: 400, headers: {}, body: 'This cannot be read.\n' };
    const response = await app.fetch(request);
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

/** The request behind an event; undefined where it is none that HTTP knows. */
export function requestOf(event: unknown): Request | undefined {
  const read = HttpEvent.safeParse(event).data;
  if (!read) return undefined;
  const { rawPath, headers, body = '', isBase64Encoded, requestContext } = read;
  const { method } = requestContext.http;
  try {
    return new Request(new URL(rawPath, 'https://lambda.invalid'), {
      ...{ method, headers },
      // The bytes as they were sent: what they mean is nobody's business before they are verified.
      ...(method !== 'GET' && method !== 'HEAD' && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
    });
  } catch {
    return undefined;
  }
}
