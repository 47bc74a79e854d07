import { sessionsBy, stsClient } from '../adapters/sts/session.ts';
import { incidentId } from '../flow/identity.ts';
import { milliseconds } from '../handler.ts';
import { httpFunction } from '../runtime/relay/function.ts';
import { type RelayParts, relay } from '../runtime/relay/relay.ts';
import { type Base, openBase } from './aws/base.ts';
import { type Env, setting } from './aws/environment.ts';
import { registry } from './aws/registered.ts';
import { busOf } from './aws/world.ts';
import { isEdge } from './edge-routing.ts';

/** A key that was changed or taken away counts as that everywhere after so long. */
const KEPT = milliseconds('60s');

/** The way in for clusters that work at their edge, as the handler of a Lambda function behind an HTTP API. */
export function relayFunction(env: Env) {
  const base = openBase(env);
  return httpFunction(relay({ log: base.log, open: () => parts(base) }));
}

async function parts(base: Base): Promise<RelayParts> {
  const { env, store, clock, parameters } = base;
  const [prefix, registered] = [setting(env, 'GLEANER_WATCHER_KEYS'), registry(base)];
  // Before it nothing is decided by the clock.
  await store.ready();
  return {
    ...{ store, clock, bus: busOf(base).bus },
    incidentId,
    session: sessionsBy({
      ...{ client: stsClient(), role: setting(env, 'GLEANER_EDGE_ROLE'), region: setting(env, 'AWS_REGION') },
      queues: {
        prefix: setting(env, 'GLEANER_EDGE_QUEUE_ARNS'),
        deadLetters: setting(env, 'GLEANER_EDGE_DEAD_LETTERS_ARN'),
      },
      urls: { prefix: setting(env, 'GLEANER_EDGE_QUEUES'), deadLetters: setting(env, 'GLEANER_EDGE_DEAD_LETTERS') },
    }),
    async keys(cluster) {
      // Those that are told to work at their edge alone: the key of any other one sends observations, and nothing more.
      if (!isEdge((await registered()).get(cluster))) return undefined;
      const found = await parameters.newest(`${prefix}/${cluster}`, KEPT);
      if (found.is === 'there') return found.value.split(/\s+/).filter((key) => key.startsWith('whsec_'));
      if (found.is === 'absent') return undefined;
      throw new Error(found.because);
    },
  };
}
