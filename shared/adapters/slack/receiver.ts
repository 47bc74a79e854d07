import type { App, Receiver } from '@slack/bolt';
import type { Clock } from '../../ports/clock.ts';
import { json } from './pressed.ts';
import type { Refused, TellRefused } from './refused.ts';
import { replays } from './replays.ts';
import { LARGEST, type Secrets, tooLarge, type Verified, verify } from './verify.ts';

export interface SlackReceiverParts {
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, 'now'>;
  readonly refused: TellRefused;
  readonly warn: (because: string) => void;
}

/** A receiver of Bolt's for requests over HTTPS, the same in a server and on Lambda. */
export interface SlackReceiver extends Receiver {
  /** Takes one request and answers it. Never throws; no answer says more than its sender needs. */
  receive(request: Request): Promise<Response>;
}

/**
 * Verifies a request by its raw bytes before anything of it is read, and hands Bolt what is genuine. Bolt's own receivers
 * take a signature from the future, take a request twice, and read base64 as ASCII (@slack/bolt 5.1.0).
 */
export function slackReceiver({ secrets, clock, refused, warn }: SlackReceiverParts): SlackReceiver {
  const seen = replays(clock);
  let app: App | undefined;

  async function refuse(status: number, why: Refused): Promise<Response> {
    await refused(why);
    return new Response(SAID[status] ?? '', { status, headers: PLAIN });
  }

  async function receive(request: Request): Promise<Response> {
    const body = await bytesOf(request);
    const verdict: Verified = body ? verify(secrets, clock.now(), request.headers, body) : tooLarge();
    if (verdict.is === 'refused') return refuse(verdict.status, verdict);
    if (!body || !seen.isNew(verdict.key))
      return refuse(200, { kind: 'replayed', because: 'a request that came before' });
    const payload = payloadOf(body, request.headers.get('content-type') ?? '');
    if (!payload) return refuse(400, { kind: 'malformed', because: 'a signed body that cannot be read' });
    // Slack's look whether the address answers (docs.slack.dev/interactivity/implementing-slash-commands).
    if ('ssl_check' in payload) return new Response(null, { status: 200 });
    return dispatched(payload, request.headers);
  }

  async function dispatched(body: Record<string, unknown>, headers: Headers): Promise<Response> {
    if (!app) return unavailable();
    let said: unknown;
    const ack = async (response?: unknown) => {
      said ??= response;
    };
    try {
      await app.processEvent({ body, ack, ...retryOf(headers) });
    } catch (error) {
      warn(`an interaction could not be handled: ${nameOf(error)}`);
      return refuse(400, { kind: 'malformed', because: 'a signed body that Bolt cannot read' });
    }
    if (said === undefined || said === '') return new Response(null, { status: 200 });
    return typeof said === 'string' ? new Response(said, { headers: PLAIN }) : Response.json(said);
  }

  return {
    init(given) {
      app = given;
    },
    // It has nothing of its own to open: whoever serves the route calls `receive`.
    start: async () => undefined,
    stop: async () => undefined,
    async receive(request) {
      try {
        return await receive(request);
      } catch (error) {
        warn(`a request could not be read: ${nameOf(error)}`);
        return unavailable();
      }
    },
  };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };
const SAID: Readonly<Record<number, string>> = {
  400: 'This cannot be read.\n',
  401: 'Not verified.\n',
  413: 'Too large.\n',
  415: 'Send a form or JSON, not compressed.\n',
};
const unavailable = () => new Response('Not available now.\n', { status: 503, headers: PLAIN });
const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/** The body's bytes; undefined where there are too many. No more is read than that. */
async function bytesOf({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (Number(headers.get('content-length') ?? 0) > LARGEST) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size > LARGEST) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What Slack put into the body: the JSON of `payload`, the fields of a command, or JSON as such. */
function payloadOf(bytes: Uint8Array, type: string): Record<string, unknown> | undefined {
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  if (type.trim().toLowerCase().startsWith('application/json')) return objectOf(json(text));
  const form = new URLSearchParams(text);
  const [payload, ...more] = form.getAll('payload');
  if (more.length > 0) return undefined;
  return payload === undefined ? Object.fromEntries(form) : objectOf(json(payload));
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

function retryOf(headers: Headers) {
  const [nth, reason] = [headers.get('x-slack-retry-num'), headers.get('x-slack-retry-reason')];
  return { ...(nth !== null && { retryNum: Number(nth) }), ...(reason !== null && { retryReason: reason }) };
}
