import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { systemClock } from '../adapters/clock/system.ts';
import type { Principal } from '../model.ts';
import { application } from '../runtime/http.ts';
import { sessions } from '../web/session.ts';
import type { Gleaner } from './gleaner.ts';

export interface Serving {
  /** The link that opens the page, once. */
  readonly link: string;
  stop(): Promise<void>;
}

/** Serves the page, `/healthz` and `/metrics`. */
export async function servePage(
  gleaner: Gleaner,
  {
    host,
    port,
    as,
    tls,
  }: { host: string; port: number; as: Principal; tls?: { cert: string; key: string } | undefined },
): Promise<Serving> {
  const known = sessions();
  const app = application({
    desk: gleaner.desk,
    sessions: known,
    metrics: () => gleaner.metrics.text(),
    unwell: () =>
      gleaner.quarantined() > 0 ? `${gleaner.quarantined()} deliveries were set aside: see the log` : undefined,
    after: systemClock.after,
  });
  const listening = Promise.withResolvers<AddressInfo>();
  const server = serve(
    {
      ...{ fetch: app.fetch, hostname: host, port },
      ...(tls && { createServer, serverOptions: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } }),
    },
    listening.resolve,
  );
  server.once('error', listening.reject);
  const address = await listening.promise;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    link: `${tls ? 'https' : 'http'}://${shown}:${address.port}/open/${known.invite(as)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Open pages hold their stream: the server would wait for them.
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
