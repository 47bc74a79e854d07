import type { JsonObject } from '../../../shared/objects.ts';
import { deliver } from './deliver.ts';
import { LIMITS } from './limits.ts';
import type { Made, Maker } from './payloads.ts';
import { type Forge, type SignedRequest, signedRequest } from './signed-request.ts';
import type { Envelope, SocketMode } from './socket-mode.ts';

/** Where interactions go: a URL of the app, or its Socket Mode connections. */
export type Target = string | 'socket';

export interface Sending {
  /** Instead of the double's `target`. */
  readonly to?: Target;
  /** Milliseconds that the app has to acknowledge; Slack's own three seconds, unless given. */
  readonly within?: number;
  /** HTTP only. */
  readonly forge?: Forge;
  /** Changes the payload before it is signed: another value, another team, another user. */
  readonly alter?: (payload: JsonObject) => JsonObject;
  /** Socket Mode only: which connections get the envelope, by index; `[0, 0]` delivers it twice. */
  readonly connections?: readonly number[];
}

/** What became of one thing that Slack sent. */
export interface Delivery {
  readonly payload: JsonObject;
  /** HTTP only: to be sent again as it is. */
  readonly request: SignedRequest | undefined;
  readonly triggerId: string | undefined;
  readonly responseUrl: string | undefined;
  /** Whether the app answered in time and, over HTTP, with 2xx: otherwise people see an error. */
  readonly acknowledged: boolean;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer, or what the socket's acknowledgement carried as JSON. */
  readonly body: string;
  readonly tookMs: number;
  readonly problem: 'timeout' | 'connection' | 'no connection' | undefined;
  /** What the acknowledgement asked for and Slack would not do. */
  readonly refused: string | undefined;
}

export interface ActionParts extends Maker {
  readonly sockets: SocketMode;
  readonly secret: string;
  readonly team: string;
  readonly channel: string;
  readonly target: () => Target | undefined;
}

/** Sends an interaction: a form with the one field `payload`, or an envelope. */
export function sendInteraction(parts: ActionParts, made: Made, how: Sending, accepts = false): Promise<Delivery> {
  const payload = how.alter?.(made.payload) ?? made.payload;
  const envelope = { type: 'interactive', payload, accepts_response_payload: accepts } as const;
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return send(parts, { ...made, payload }, { envelope, body }, how);
}

interface Packed {
  readonly envelope: Envelope;
  readonly body: string;
  readonly contentType?: string;
}

/** Sends what is packed for both transports to the one that is asked for. */
export async function send(parts: ActionParts, made: Made, packed: Packed, how: Sending): Promise<Delivery> {
  const target = how.to ?? parts.target();
  if (target === undefined) throw new Error("nowhere to send it: set the double's `target`, or give `to`");
  const within = how.within ?? LIMITS.acknowledgeWithin;
  if (target === 'socket') {
    const ack = await parts.sockets.send(packed.envelope, { within, ...(how.connections && { to: how.connections }) });
    const body = ack.payload === undefined ? '' : JSON.stringify(ack.payload);
    return {
      ...made,
      ...ack,
      request: undefined,
      status: undefined,
      headers: {},
      payload: made.payload,
      body,
      refused: undefined,
    };
  }
  const { body, contentType = 'application/x-www-form-urlencoded' } = packed;
  const request = signedRequest({ body, contentType, secret: parts.secret, at: parts.state.now() }, how.forge);
  return overHttp(made, target, request, within);
}

/** Sends a signed request. */
export async function overHttp(made: Made, url: string, request: SignedRequest, within: number): Promise<Delivery> {
  const answer = await deliver(url, request, within);
  const acknowledged = answer.status !== undefined && answer.status >= 200 && answer.status < 300;
  return { ...made, ...answer, request, acknowledged, refused: undefined };
}
