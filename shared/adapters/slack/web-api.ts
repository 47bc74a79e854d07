import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import * as z from 'zod';
import { silent } from './silent.ts';

/**
 * What became of a call. `throttled`, `refused` and `unreachable` are definite: nothing was done. `uncertain`: no answer
 * came, or one that says nothing, and what was asked may have been done. No `because` holds a token, an address that is
 * secret, or anything of a body.
 */
export type Called<T> =
  | { readonly is: 'ok'; readonly value: T; readonly scopes: readonly string[] }
  /** `retryAfter` in milliseconds. */
  | { readonly is: 'throttled'; readonly retryAfter: number; readonly because: string }
  /** `code` as Slack documents it for the method; `needed`: the scopes that are missing. */
  | { readonly is: 'refused'; readonly code: string; readonly because: string; readonly needed?: string | undefined }
  | { readonly is: 'unreachable'; readonly because: string }
  | { readonly is: 'uncertain'; readonly because: string };

export type Failed = Exclude<Called<never>, { is: 'ok' }>;

/** Slack's Web API: one request per call, no retry, no waiting. */
export interface SlackApi {
  /** Calls a method and reads its answer by a schema. Never throws. */
  call<T>(method: string, args: Readonly<Record<string, unknown>>, answer: z.ZodType<T>): Promise<Called<T>>;
}

export interface ApiOptions {
  /** A bot token (`xoxb-`), or for `apps.connections.open` an app token (`xapp-`). */
  readonly token: string;
  /** Where the API is, other than at Slack. */
  readonly url?: string | undefined;
  /** Milliseconds after which an answer is not waited for any more. */
  readonly timeout?: number;
}

const TIMEOUT = 2_500;
/** Where a 429 names no time; 30 s is what Slack's own examples name. */
const PAUSE_SECONDS = 30;

/**
 * The API through Slack's own client without its retries, which sleep inside the process and would hold a function for
 * half an hour (`tenRetriesInAboutThirtyMinutes` in @slack/web-api's retry-policies.ts).
 */
export function slackApi({ token, url, timeout = TIMEOUT }: ApiOptions): SlackApi {
  const client = new WebClient(token, {
    ...(url !== undefined && { slackApiUrl: url }),
    ...{ timeout, rejectRateLimitedCalls: true, retryConfig: { retries: 0 }, allowAbsoluteUrls: false },
    ...{ logger: silent, fetch: withPause },
  });
  return {
    async call(method, args, answer) {
      try {
        const result = await client.apiCall(method, { ...args });
        const read = answer.safeParse(result);
        const scopes = Scopes.safeParse(result).data?.response_metadata.scopes ?? [];
        if (read.success) return { is: 'ok', value: read.data, scopes };
        return { is: 'uncertain', because: `Slack's answer to ${method} is not what its documentation says` };
      } catch (error) {
        return failure(method, error);
      }
    },
  };
}

const Scopes = z.object({ response_metadata: z.object({ scopes: z.array(z.string()) }) });

/** Slack's client takes a 429 without a time for an error without a code: so it gets one with a time. */
const withPause: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status !== 429 || /^\d+$/.test(response.headers.get('retry-after') ?? '')) return response;
  return new Response(null, { status: 429, headers: { 'retry-after': String(PAUSE_SECONDS) } });
};

/** Errors after which, by their documentation, some of the operation may have succeeded. */
const HALF_DONE = new Set(['internal_error', 'fatal_error']);
const OVERLOADED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const NOT_SERVED = new Set(['service_unavailable', 'request_timeout', 'team_added_to_org']);
/** Nothing was sent: there was no connection to send it on. */
const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|DEPTH_ZERO_\w+)$/;

function failure(method: string, error: unknown): Failed {
  if (error instanceof WebAPIRateLimitedError) return throttled(method, error.retryAfter);
  if (error instanceof WebAPIPlatformError) return platformFailure(method, error);
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error;
    const because = `Slack answered ${method} with HTTP ${statusCode}`;
    return statusCode >= 500 ? { is: 'uncertain', because } : { is: 'unreachable', because };
  }
  const code = codeOf(error instanceof WebAPIRequestError ? error.original : error);
  const because = `Slack did not answer ${method}: ${code ?? 'the connection broke'}`;
  return { is: code !== undefined && NO_CONNECTION.test(code) ? 'unreachable' : 'uncertain', because };
}

const throttled = (method: string, seconds: number): Failed => ({
  is: 'throttled',
  retryAfter: Math.max(1, seconds) * 1_000,
  because: `Slack asks to wait ${seconds} s before ${method}`,
});

const Refusal = z.object({
  error: z.string().regex(/^[a-z][a-z0-9_]{0,79}$/i),
  needed: z.string().max(200).optional(),
  response_metadata: z.object({ retryAfter: z.number().optional() }).optional(),
});

function platformFailure(method: string, { data }: WebAPIPlatformError): Failed {
  const read = Refusal.safeParse(data);
  // A proxy's page, which the client takes for the name of an error.
  if (!read.success) return { is: 'uncertain', because: `what answered ${method} is not Slack's API` };
  const { error: code, needed, response_metadata: metadata } = read.data;
  const because = `Slack refuses ${method}: ${code}`;
  if (OVERLOADED.has(code)) return throttled(method, metadata?.retryAfter ?? PAUSE_SECONDS);
  if (HALF_DONE.has(code)) return { is: 'uncertain', because };
  if (NOT_SERVED.has(code)) return { is: 'unreachable', because };
  return { is: 'refused', code, because, ...(needed !== undefined && { needed }) };
}

/** The code of an error, or of what caused it: fetch hides the code of the socket in the cause of its own error. */
function codeOf(error: unknown): string | undefined {
  for (let depth = 0, at: unknown = error; depth < 5 && at instanceof Error; depth++, at = at.cause) {
    if (at.name === 'TimeoutError' || at.name === 'AbortError') return 'no answer in time';
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
