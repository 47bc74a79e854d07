import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { systemClock } from '../adapters/clock/system.ts';
import { cardMessage } from '../adapters/slack/card-message.ts';
import { detailsView } from '../adapters/slack/details.ts';
import type { Connection } from '../cli/connection.ts';
import type { Principal } from '../model.ts';
import { access, type Keep } from '../runtime/api-access.ts';
import { application } from '../runtime/http.ts';
import type { Log } from '../runtime/log.ts';
import type { Gleaner } from './gleaner.ts';
import { register } from './register.ts';

export interface Serving {
  /** The link that opens the page, once. */
  readonly link: string;
  /** Where commands of this machine find the API, with the token of who runs Gleaner. */
  readonly connection: Connection;
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  /** Whom the link and the connection belong to. */
  readonly as: Principal;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly log: Log;
  /** Where it outlives a restart who may get in. */
  readonly keep?: Keep;
  /** What else is wrong, in words. */
  readonly trouble?: () => string | undefined;
}

/** Serves the page, the API, `/healthz` and `/metrics`. */
export async function servePage(gleaner: Gleaner, options: ServeOptions): Promise<Serving> {
  const { host, port, as, tls, keep } = options;
  const known = access(() => systemClock.now(), keep);
  const cert = tls && readFileSync(tls.cert, 'utf8');
  const listening = Promise.withResolvers<AddressInfo>();
  const server = serve(
    {
      ...{ fetch: applicationOf(gleaner, known, options).fetch, hostname: host, port },
      ...(tls && { createServer, serverOptions: { cert, key: readFileSync(tls.key) } }),
    },
    listening.resolve,
  );
  server.once('error', listening.reject);
  const address = await listening.promise;
  const origin = (name: string) => `${tls ? 'https' : 'http'}://${name}:${address.port}`;
  return {
    link: `${origin(isAny(host) ? 'localhost' : bracketed(host))}/open/${known.invite(as, 'forever').token}`,
    connection: {
      url: origin(isAny(host) ? '127.0.0.1' : bracketed(host)),
      ...{ token: known.own(as), who: as, pid: process.pid },
      ...(cert !== undefined && { certificate: cert }),
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Open pages hold their stream: the server would wait for them.
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

const isAny = (host: string) => host === '0.0.0.0' || host === '::';
const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function applicationOf(gleaner: Gleaner, known: ReturnType<typeof access>, { log, trouble }: ServeOptions) {
  const { world, desk, metrics, quarantined, slack: receiver } = gleaner;
  const records = register(world, trouble);
  return application({
    ...{ desk, register: records, access: known, after: systemClock.after },
    metrics: () => metrics.text(),
    slack: receiver && { receiver, log },
    unwell: () => (quarantined() > 0 ? `${quarantined()} deliveries were set aside: see the log` : undefined),
    audit: (what) =>
      world.store.append({ at: world.clock.now().toISOString(), kind: 'decision', text: JSON.stringify(what) }),
    linkTo: (invitation, { origin }) => `${origin}/join/${invitation}`,
    refused: (because) => log.warn({}, because),
    async inSlack(id) {
      const found = await records.find(id);
      return found.is === 'one' ? { message: cardMessage(found.card), details: detailsView(found.card) } : undefined;
    },
  });
}
