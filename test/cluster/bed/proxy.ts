import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './free-ports.ts';

/** A TCP proxy in front of the API server. Hand its `url` to a client: `bed.kubeconfig(user, { server: proxy.url })`. */
export interface Proxy {
  readonly url: string;
  /** Lets bytes through again, those held back first. */
  pass(): void;
  /** Holds all bytes back: connections stay open and silent, new ones are accepted and get no answer. */
  blackHole(): void;
  /** Resets all open connections; new ones pass. */
  cut(): void;
  stop(): Promise<void>;
}

/** Starts a proxy to a port on loopback. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let open = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    if (!open) socket.pause();
  };
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(from);
      from.on('data', (bytes) => to.write(bytes)).on('close', () => to.destroy());
      if (!open) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.forEach((socket) => void socket.resetAndDestroy());
  return {
    url: `https://127.0.0.1:${portOf(server)}`,
    pass() {
      open = true;
      for (const socket of sockets) socket.resume();
    },
    blackHole() {
      open = false;
      for (const socket of sockets) socket.pause();
    },
    cut,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
