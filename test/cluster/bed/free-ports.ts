import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Loopback ports that nobody listens on. All are held until the last one is found, so no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

/** The port that a server listens on. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('this server does not listen on a port');
  return address.port;
}
