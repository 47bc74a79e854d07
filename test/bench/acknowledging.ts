import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { inProcessBus } from '../../shared/adapters/inprocess/bus.ts';
import { Interactions } from '../../shared/adapters/slack/app.ts';
import { slackReceiver } from '../../shared/adapters/slack/receiver.ts';
import { verify } from '../../shared/adapters/slack/verify.ts';
import { slackApi } from '../../shared/adapters/slack/web-api.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../shared/adapters/sqlite/store.ts';
import { decide } from '../../shared/flow/decide.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import type { World } from '../../shared/flow/world.ts';
import type { Directory } from '../../shared/ports/directory.ts';
import { interactions, type Receiver } from '../../shared/runtime/interact.ts';
import { routed } from '../../shared/worlds/routed.ts';
import { bareDatabase } from './record.ts';

/** A process that acknowledges clicks as Gleaner does, or only verifies each and writes one durable row. */
const [, , what = '', file = '', secret = ''] = process.argv;
const log = { info() {}, warn() {}, error: console.error };

function bare(): Receiver {
  const insert = bareDatabase(file).prepare('INSERT INTO bare VALUES (?)');
  return {
    async receive(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      const { is } = verify({ current: secret }, systemClock.now(), request.headers, body);
      if (is !== 'genuine') return new Response(null, { status: 401 });
      insert.run(Buffer.from(body).toString());
      return new Response(null);
    },
  };
}

/** With the durable bus, and the hop that decides in the same process, as in a server. */
function ours(): Receiver {
  const database = openDatabase(file);
  const [store, clock] = [sqliteStore(database), systemClock];
  const bus = inProcessBus({ database, clock, routes: { decide: ROUTES.decide, notify: ROUTES.notify } });
  const hop = routed(ROUTES.decide, decide);
  bus.consume('decide', (event) => hop(world(store), event));
  bus.consume('notify', async () => []);
  bus.start();
  const parts = { clock, warn: console.error, refused: async () => {} };
  const receiver = slackReceiver({ ...parts, secrets: { current: secret } });
  new Interactions(receiver, {
    ...{ ...parts, bus, store, directory: everybody, api: slackApi({ token: 'xoxb-none' }) },
    ...{ home: () => undefined, card: async () => undefined },
  });
  return receiver;
}

const everybody: Directory = {
  isMember: async () => ({ is: 'yes' }),
  belongs: async () => ({ is: 'yes' }),
  fresh: () => everybody,
};

/** A world that knows no proposal: every click is refused, and its answer kept. */
const world = (store: World['store']): World => ({
  ...{ clock: systemClock, store, directory: everybody, modes: [], known: new Map(), clusters: new Map() },
  rules: { policy: nobody, person: nobody, names: nobody, text: nobody },
});

const nobody = () => {
  throw new Error('there is no policy here');
};

const receiver = what === 'bare' ? bare() : ours();
const server = serve({ fetch: interactions(async () => receiver, log).fetch, port: 0, hostname: '127.0.0.1' });
if (!server.listening) await once(server, 'listening');
process.on('disconnect', () => process.exit());
process.send?.(server.address());
