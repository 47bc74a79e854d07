import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject, type Json, type JsonObject, JsonValue } from '../../../shared/objects.ts';

/** A call of the Web API as it arrived. */
export interface Incoming {
  readonly args: Readonly<Record<string, Json>>;
  /** From the `Authorization` header, or else the argument `token`. */
  readonly token: string | undefined;
  readonly contentType: string;
}

/** Reads a body of either content type that Slack takes; undefined where it is neither, or no object. */
export async function readCall(request: IncomingMessage, query: URLSearchParams): Promise<Incoming | undefined> {
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const body = await text(request);
  const given = contentType === 'application/json' ? jsonOf(body) : formOf(body, query);
  if (given === undefined) return undefined;
  const { token, ...args } = given;
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return { args, token: bearer ?? (typeof token === 'string' ? token : undefined), contentType };
}

function jsonOf(body: string): JsonObject | undefined {
  try {
    const read = JsonValue.parse(JSON.parse(body));
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

const formOf = (body: string, query: URLSearchParams): Record<string, Json> =>
  Object.fromEntries([...query, ...new URLSearchParams(body)]);

/** Answers with JSON. */
export function answer(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** Cuts the connection with a TCP reset. */
export const reset = (response: ServerResponse): void => {
  response.req.socket.resetAndDestroy();
};
