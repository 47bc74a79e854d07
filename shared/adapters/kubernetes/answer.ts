import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Json, optional } from '../../objects.ts';

/** A request to the API server; `path` begins with `/` and carries its query. */
export interface Request {
  readonly method: 'GET' | 'PATCH' | 'PUT' | 'DELETE' | 'POST';
  readonly path: string;
  readonly body?: Json;
  readonly contentType?: string;
  /** How long the whole answer may take, in milliseconds. */
  readonly within?: number;
}

/**
 * What came of a request. `not-sent`: no server took it, so nothing can have happened. `lost`: it was sent, and what
 * became of it is not known.
 */
export type Answer =
  | { readonly is: 'answered'; readonly code: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | { readonly is: 'not-sent'; readonly because: string }
  | { readonly is: 'lost'; readonly because: string };
export type Answered = Extract<Answer, { is: 'answered' }>;

/** Sends one request and waits for the whole answer; never throws for what a server or a network does. */
export type Send = (request: Request) => Promise<Answer>;

/** An error in the API server's own words (k8s.io/apimachinery meta/v1 Status). */
const StatusBody = z.object({
  kind: z.literal('Status'),
  message: optional(z.string()),
  reason: optional(z.string()),
  code: optional(z.number()),
  details: optional(
    z.object({
      retryAfterSeconds: optional(z.number()),
      causes: z
        .array(z.object({ reason: optional(z.string()), message: optional(z.string()), field: optional(z.string()) }))
        .nullish()
        .transform((value) => value ?? []),
    }),
  ),
});
export type Status = z.infer<typeof StatusBody>;

/** The body as JSON; undefined where it is none. */
export function jsonOf(body: Buffer | string): Json | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The Status that a body carries; undefined where it carries something else. */
export const statusIn = (body: Json | undefined): Status | undefined => StatusBody.safeParse(body).data;
export const statusOf = ({ body }: Answered): Status | undefined => statusIn(jsonOf(body));

/** Whether the API server itself says that the object, or its kind, is not there: a proxy's 404 says nothing. */
export const isAbsent = (answer: Answered): boolean => answer.code === 404 && statusOf(answer)?.reason === 'NotFound';

/** The seconds that a server asks us to wait: its header, else its Status, else `usual`. */
export function retryAfterOf(answer: Answered, usual: number): number {
  const header = Number(answer.headers['retry-after']);
  const said = Number.isFinite(header) && header > 0 ? header : statusOf(answer)?.details?.retryAfterSeconds;
  return said !== undefined && said > 0 ? said : usual;
}

/** Why there is no good answer, in one short sentence without objects in it. */
export function because(answer: Answer): string {
  if (answer.is !== 'answered') return answer.because;
  const status = statusOf(answer);
  if (status) return explain(status, answer.code);
  const text = answer.body.toString('utf8', 0, 400).trim();
  if (text.startsWith('<')) {
    return `HTTP ${answer.code} with a web page in place of the Kubernetes API: check the server address and proxies`;
  }
  return `HTTP ${answer.code}: ${shorten(text.split('\n')[0] ?? '', 160) || 'no reason given'}`;
}

/** The message of a Status; of a 422 only what it says about fields, for its message may embed the whole object. */
export function explain(status: Status, code: number): string {
  const causes = status.details?.causes ?? [];
  if (code === 422 || status.reason === 'Invalid') {
    const fields = causes
      .slice(0, 3)
      .map(({ field, message, reason }) => `${field ?? '?'}: ${bare(message ?? reason)}`);
    return fields.length > 0 ? shorten(fields.join('; '), 300) : `${status.reason ?? 'Invalid'} (422)`;
  }
  return shorten(bare(status.message ?? status.reason), 300) || `HTTP ${code}`;
}

/**
 * A validation message without the value that it quotes, which may be a whole object
 * (k8s.io/apimachinery util/validation/field ErrorBody: `Invalid value: "…": detail`).
 */
function bare(message = ''): string {
  const unquoted = message.replace(/(value|body): (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|\S+\{.*\})/gis, '$1');
  return unquoted.replace(/\s+/g, ' ').trim();
}

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
