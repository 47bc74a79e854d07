import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../../shared/adapters/sqlite/store.ts';
import type { Fact } from '../../../shared/model.ts';
import { ingest, OBSERVATIONS } from '../../../shared/runtime/ingest/ingest.ts';
import { portOf } from '../../kubernetes/loopback.ts';

/** A fact that arrived, when (milliseconds of `performance.now`), and by whose door. */
interface Arrived {
  readonly fact: Fact;
  readonly at: number;
  readonly who: string;
}

/** The real ingest on loopback, with a door per watcher, so that it is known who sent what. */
export interface Receiver {
  readonly arrived: readonly Arrived[];
  /** Opens a door; answers the address to post to. */
  door(who: string): Promise<string>;
  stop(): void;
}

export function startReceiver(cluster: string, key: string): Receiver {
  const arrived: Arrived[] = [];
  const closers: (() => void)[] = [];
  const [store, quiet] = [sqliteStore(openDatabase(':memory:')), { info() {}, warn() {}, error() {} }];
  return {
    arrived,
    async door(who) {
      const app = ingest({
        log: quiet,
        open: async () => ({
          ...{ store, clock: systemClock, keys: async (id) => (id === cluster ? [key] : undefined) },
          bus: {
            async publish(outgoing) {
              arrived.push(...outgoing.map(({ fact }) => ({ fact, at: performance.now(), who })));
            },
          },
        }),
      });
      const server = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(() => {
        server.close();
        server.closeAllConnections();
      });
      return `http://127.0.0.1:${portOf(server.address())}${OBSERVATIONS}`;
    },
    stop: () => closers.forEach((close) => void close()),
  };
}
