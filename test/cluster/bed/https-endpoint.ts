import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { portOf } from './free-ports.ts';
import type { KeyPair } from './pki.ts';

/** A small HTTPS server on loopback. */
export interface HttpsEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server that lets in only who shows a certificate of the given authority. */
export async function serveHttps(
  { keys, clientCa }: { keys: KeyPair; clientCa: Buffer },
  listener: RequestListener,
): Promise<HttpsEndpoint> {
  const identity = { cert: readFileSync(keys.cert), key: readFileSync(keys.key) };
  const server = createServer({ ...identity, ca: clientCa, requestCert: true, rejectUnauthorized: true }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
