import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../../shared/objects.ts';
import { type Answer, type Call, refuse } from './api/method.ts';
import { METHODS } from './api/methods.ts';
import type { Faults, Taken } from './faults.ts';
import { answer, type Incoming, readCall, reset } from './incoming.ts';
import type { Rates } from './rates.ts';
import type { State, Token } from './state.ts';

/** One call that reached the double, whatever became of it. */
export interface ApiCall {
  readonly method: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly token: string | undefined;
  readonly at: Date;
  /** `ok`, an error of Slack's, or the kind of the fault that befell it; undefined while it is under way. */
  outcome: string | undefined;
}

export interface WebApi {
  readonly calls: ApiCall[];
  serve(method: string, request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void>;
}

type Parts = Omit<Call, 'token'> & { readonly faults: Faults; readonly rates: Rates };

/** `/api/…`: reads a call, lets a fault befall it, counts it, checks the token, runs it, answers. */
export function startWebApi(parts: Parts): WebApi {
  const { state, faults, rates } = parts;
  const calls: ApiCall[] = [];
  return {
    calls,
    async serve(method, request, response, query) {
      const incoming = await readCall(request, query);
      const call = recorded(method, incoming, state.now());
      calls.push(call);
      const fault = faults.take({ method, channel: channelOf(call), token: call.token });
      if (fault?.kind === 'slow') await fault.until;
      if (fault && befall(fault, response)) {
        call.outcome = fault.kind === 'error' ? fault.error : fault.kind;
        return;
      }
      if (incoming === undefined) return finish(call, response, refuse('invalid_form_data'), undefined);
      const token = authenticate(state, method, call.token);
      if ('ok' in token) return finish(call, response, token, undefined);
      const wait = rates.count({ method, team: token.team, channel: channelOf(call) });
      if (wait !== undefined) {
        call.outcome = 'ratelimited';
        return tooMany(response, wait);
      }
      const result = METHODS[method]?.run(call.args, { ...parts, token }) ?? refuse('unknown_method');
      finish(call, response, result, token, fault?.kind);
    },
  };
}

const recorded = (method: string, incoming: Incoming | undefined, at: Date): ApiCall => ({
  ...{ method, args: incoming?.args ?? {}, token: incoming?.token, at, outcome: undefined },
});

const channelOf = ({ args }: ApiCall): string | undefined =>
  typeof args.channel === 'string' ? args.channel : undefined;

const tooMany = (response: ServerResponse, seconds: number): void =>
  answer(response, refuse('ratelimited'), { status: 429, headers: { 'retry-after': String(seconds) } });

/** Answers, unless the answer is to be lost: then the call has had its effect all the same. */
function finish(
  call: ApiCall,
  response: ServerResponse,
  result: Answer,
  token: Token | undefined,
  fault?: Taken['kind'],
) {
  call.outcome = result.ok ? 'ok' : String(result.error);
  if (fault === 'lost-answer') return reset(response);
  if (fault === 'hung-answer') return;
  const accepted = METHODS[call.method]?.scopes ?? [];
  answer(response, result, {
    headers: {
      ...(token && { 'x-oauth-scopes': [...token.scopes].join(',') }),
      ...(accepted.length > 0 && { 'x-accepted-oauth-scopes': accepted.join(',') }),
    },
  });
}

/** Whether the fault was the end of the call. */
function befall(fault: Taken, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'ratelimited':
      tooMany(response, fault.retryAfter);
      return true;
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'text/html' }).end('<html>Server Error</html>');
      return true;
    case 'garbled':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return true;
    case 'hang':
      return true;
    case 'reset':
      reset(response);
      return true;
    case 'error': {
      const { kind: _, error, ...more } = fault;
      answer(response, refuse(error, more));
      return true;
    }
    case 'lost-answer':
    case 'hung-answer':
    case 'slow':
      return false;
  }
}

/** The token of a call, or why it may not call this method. */
function authenticate(state: State, name: string, value: string | undefined): Token | Answer {
  if (value === undefined || value === '') return refuse('not_authed');
  const token = state.tokens.get(value);
  if (token === undefined) return refuse('invalid_auth');
  if (token.state !== 'active') return refuse(token.state);
  const known = METHODS[name];
  if (known === undefined) return refuse('unknown_method');
  if (known.token !== 'any' && known.token !== token.kind) return refuse('not_allowed_token_type');
  const [needed] = known.scopes;
  if (needed !== undefined && !known.scopes.some((scope) => token.scopes.has(scope))) {
    return refuse('missing_scope', { needed, provided: [...token.scopes].join(',') });
  }
  return token;
}
