import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A WebSocket's server side (RFC 6455): text messages, ping, pong and close; no extensions. */
export interface WebSocketPeer {
  send(text: string): void;
  /** Closes with a handshake, as a server that is going away does. */
  close(code?: number): void;
  /** Cuts the line. */
  cut(): void;
  /** Ends when the line is down, or after so many milliseconds. */
  closed(within: number): Promise<void>;
  /** While true, nothing is answered any more, pings neither: a line that is dead at one end. */
  mute: boolean;
}

export interface WebSocketHandlers {
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

/** Accepts an upgrade. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex, handlers: WebSocketHandlers): WebSocketPeer {
  // RFC 6455 §1.3 fixes this key.
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const peer: WebSocketPeer = {
    send: (text) => write(0x1, Buffer.from(text)),
    close(code = 1000) {
      const body = Buffer.alloc(2);
      body.writeUInt16BE(code);
      write(CLOSE, body);
    },
    cut: () => socket.destroy(),
    closed: (within) =>
      new Promise((resolve) => {
        if (socket.closed) return resolve();
        const timer = setTimeout(resolve, within);
        socket.once('close', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    mute: false,
  };
  const write = (opcode: number, body: Buffer): void => {
    if (!peer.mute && socket.writable) socket.write(frame(opcode, body));
  };
  const take = (opcode: number, body: Buffer): void => {
    if (peer.mute) return;
    if (opcode === PING) write(PONG, body);
    else if (opcode === CLOSE) {
      write(CLOSE, body);
      socket.end();
    } else if (opcode !== PONG) handlers.onText(body.toString());
  };
  read(socket, take);
  socket.on('error', () => socket.destroy());
  socket.on('close', handlers.onClose);
  return peer;
}

function frame(opcode: number, body: Buffer): Buffer {
  const head = body.length < 126 ? Buffer.alloc(2) : Buffer.alloc(body.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (body.length < 126) head[1] = body.length;
  else if (body.length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}

interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly body: Buffer;
  /** Bytes of the buffer that it took. */
  readonly size: number;
}

/** The first whole frame of a buffer. A client masks what it sends (RFC 6455 §5.3). */
function parse(buffer: Buffer): Frame | undefined {
  if (buffer.length < 2) return undefined;
  const short = buffer.readUInt8(1) & 0x7f;
  const wide = short === 127 ? 8 : short === 126 ? 2 : 0;
  const start = 2 + wide + 4;
  if (buffer.length < start) return undefined;
  const length = wide === 8 ? Number(buffer.readBigUInt64BE(2)) : wide === 2 ? buffer.readUInt16BE(2) : short;
  if (buffer.length < start + length) return undefined;
  const mask = buffer.subarray(start - 4, start);
  const body = Buffer.from(buffer.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  const first = buffer.readUInt8(0);
  return { final: (first & 0x80) !== 0, opcode: first & 0x0f, body, size: start + length };
}

/** Reads frames; a message in several parts is given as one. */
function read(socket: Duplex, take: (opcode: number, body: Buffer) => void): void {
  let buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let next = parse(buffer); next !== undefined; next = parse(buffer)) {
      buffer = buffer.subarray(next.size);
      if (next.opcode >= CLOSE) take(next.opcode, next.body);
      else {
        parts.push(next.body);
        if (next.final) {
          take(0x1, Buffer.concat(parts));
          parts = [];
        }
      }
    }
  });
}
