import type { Json, JsonObject } from '../../handler.ts';
import { isObject } from '../json.ts';
import type { Resource } from './resource.ts';
import { badRequest, Refusal } from './status.ts';

/** One request, with its body read already. */
export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** undefined: no body. */
  readonly body?: Json | undefined;
  readonly contentType?: string | undefined;
}

/** What is answered at once. */
export interface Answer {
  readonly code: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request whose path names a resource that is served. */
export interface Asked {
  readonly method: string;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly sub: string | undefined;
  readonly query: URLSearchParams;
  readonly body: Json | undefined;
  readonly contentType: string;
}

/** The body as the object that a write needs. */
export function objectOf({ body }: Pick<Asked, 'body'>): JsonObject {
  if (!isObject(body)) throw badRequest('the body of the request is no object');
  return body;
}

/** Whether only the answer is wanted: `dryRun=All` in the query. Anything else but nothing is refused with 422. */
export function isDryRun(values: readonly string[]): boolean {
  if (values.length === 0) return false;
  if (values.every((value) => value === 'All')) return true;
  const message = `dryRun: Unsupported value: "${values[0]}": supported values: "All"`;
  throw new Refusal(422, 'Invalid', ` "" is invalid: ${message}`, {
    causes: [{ reason: 'FieldValueNotSupported', message, field: 'dryRun' }],
  });
}
