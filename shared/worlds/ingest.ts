import { eventBridgeBus } from '../adapters/eventbridge/bus.ts';
import { eventBridgeClient } from '../adapters/eventbridge/client.ts';
import { milliseconds } from '../handler.ts';
import { type IngestParts, lambdaIngest } from '../runtime/ingest/ingest.ts';
import { type Base, openBase } from './aws/base.ts';
import { type Env, setting } from './aws/environment.ts';
import { registry } from './aws/registered.ts';

/** A key that was changed or taken away counts as that everywhere after so long. */
const KEPT = milliseconds('60s');

/** The watchers' way in, as the handler of a Lambda function behind an HTTP API. */
export function ingestFunction(env: Env) {
  const base = openBase(env);
  return lambdaIngest({ log: base.log, open: () => parts(base) });
}

async function parts(base: Base): Promise<IngestParts> {
  const { env, store, clock, parameters } = base;
  const [prefix, registered] = [setting(env, 'GLEANER_WATCHER_KEYS'), registry(base)];
  // Before it nothing is decided by the clock.
  await store.ready();
  return {
    ...{ store, clock },
    bus: eventBridgeBus({
      ...{ client: eventBridgeClient(), bus: setting(env, 'GLEANER_BUS'), clock, routes: {} },
      delays: { hold: () => Promise.reject(new Error('A watcher tells nothing for later')) },
    }),
    async keys(cluster) {
      // The registered ones first: whoever makes up clusters must not have SSM asked for each.
      if (!(await registered()).has(cluster)) return undefined;
      const found = await parameters.newest(`${prefix}/${cluster}`, KEPT);
      if (found.is === 'there') return found.value.split(/\s+/).filter((key) => key.startsWith('whsec_'));
      if (found.is === 'absent') return undefined;
      throw new Error(found.because);
    },
  };
}
