import type { Hono } from 'hono';
import { type HttpResult, requestOf } from '../interact.ts';

/** An application behind an HTTP API, format 2.0. */
export const httpFunction =
  (app: Hono) =>
  async (event: unknown): Promise<HttpResult> => {
    const request = requestOf(event);
    if (!request) return { statusCode: 400, headers: {}, body: 'This cannot be read.\n' };
    const response = await app.fetch(request);
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
