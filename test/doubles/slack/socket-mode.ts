import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import type { Json, JsonObject } from '../../../shared/objects.ts';
import { JsonValue } from '../../../shared/objects.ts';
import { LIMITS } from './limits.ts';
import { mintId, type State } from './state.ts';
import { acceptWebSocket, type WebSocketPeer } from './websocket.ts';

/** What Slack writes into a connection. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
export interface Envelope {
  readonly type: 'interactive' | 'slash_commands' | 'events_api';
  readonly payload: JsonObject;
  readonly accepts_response_payload: boolean;
  readonly retry_attempt?: number;
  readonly retry_reason?: string;
}

/** What came back for an envelope. */
interface SocketAck {
  readonly envelopeId: string;
  readonly acknowledged: boolean;
  /** What the acknowledgement carried. */
  readonly payload: Json | undefined;
  readonly tookMs: number;
  readonly problem: 'no connection' | 'timeout' | undefined;
}

/** One Socket Mode connection of the app. */
interface Connection {
  readonly id: number;
  /** Tells the app to connect anew; Slack closes the line soon after. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets'): void;
  /** Closes it properly. */
  close(): void;
  /** Cuts it. */
  cut(): void;
  /** Leaves it open and says nothing any more, not even a pong. */
  mute(): void;
}

export interface SocketMode {
  /** Those that are open, oldest first. */
  readonly connections: readonly Connection[];
  /** Envelope ids in the order of their acknowledgements, also the second one of the same envelope. */
  readonly acks: readonly string[];
  /** Sends to one connection, or to as many as are named; the same envelope to each. The first answer counts. */
  send(envelope: Envelope, options: { within: number; to?: readonly number[] }): Promise<SocketAck>;
  ticket(): string;
  accept(request: IncomingMessage, socket: Duplex): void;
  /** Closes every connection properly, and cuts those that do not answer. */
  stop(): Promise<void>;
}

const Ack = z.object({ envelope_id: z.string(), payload: JsonValue.optional() });

export function startSocketMode(state: State, address: () => string): SocketMode {
  const open: (Connection & { readonly peer: WebSocketPeer })[] = [];
  const tickets = new Set<string>();
  const acks: string[] = [];
  const waiting = new Map<string, (payload: Json | undefined) => void>();
  const onText = (text: string): void => {
    const read = Ack.safeParse(parsed(text));
    if (!read.success) return;
    acks.push(read.data.envelope_id);
    waiting.get(read.data.envelope_id)?.(read.data.payload);
  };
  return {
    connections: open,
    acks,
    ticket() {
      const ticket = mintId(state, 'ticket-');
      tickets.add(ticket);
      return `${address().replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${state.appId}`;
    },
    accept(request, socket) {
      const ticket = new URL(request.url ?? '', 'ws://slack').searchParams.get('ticket') ?? '';
      // A URL is good for one connection.
      if (!tickets.delete(ticket)) return void socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n');
      const onClose = () => {
        const index = open.findIndex(({ peer: other }) => other === peer);
        if (index >= 0) open.splice(index, 1);
      };
      const peer = acceptWebSocket(request, socket, { onText, onClose });
      const connection = connectionOf(state.next(), peer);
      if (open.length >= LIMITS.sockets) return connection.disconnect('too_many_websockets');
      open.push({ ...connection, peer });
      peer.send(JSON.stringify(hello(state, open.length)));
    },
    async send(envelope, { within, to }) {
      const envelopeId = randomUUID();
      const targets = (to ?? [open.length - 1]).flatMap((index) => open[index] ?? []);
      const nothing = { envelopeId, acknowledged: false, payload: undefined, tookMs: 0 };
      if (targets.length === 0) return { ...nothing, problem: 'no connection' };
      const began = performance.now();
      const answer = new Promise<{ payload: Json | undefined } | undefined>((resolve) => {
        const timer = setTimeout(resolve, within, undefined);
        waiting.set(envelopeId, (payload) => {
          clearTimeout(timer);
          resolve({ payload });
        });
      });
      for (const { peer } of targets) peer.send(JSON.stringify({ envelope_id: envelopeId, ...envelope }));
      const got = await answer;
      waiting.delete(envelopeId);
      const tookMs = performance.now() - began;
      if (got === undefined) return { ...nothing, tookMs, problem: 'timeout' };
      return { envelopeId, acknowledged: true, payload: got.payload, tookMs, problem: undefined };
    },
    async stop() {
      const left = [...open];
      for (const { peer } of left) peer.close(1001);
      await Promise.all(left.map(({ peer }) => peer.closed(CLOSES_WITHIN)));
      for (const { peer } of left) peer.cut();
    },
  };
}

/** Milliseconds that a client has to answer the closing handshake when the double stops. */
const CLOSES_WITHIN = 200;

const connectionOf = (id: number, peer: WebSocketPeer): Connection => ({
  id,
  disconnect(reason) {
    peer.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-double' } }));
  },
  close: () => peer.close(),
  cut: () => peer.cut(),
  mute() {
    peer.mute = true;
  },
});

const hello = (state: State, connections: number): JsonObject => ({
  type: 'hello',
  num_connections: connections,
  debug_info: { host: 'applink-double', build_number: 1, approximate_connection_time: 18_060 },
  connection_info: { app_id: state.appId },
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
