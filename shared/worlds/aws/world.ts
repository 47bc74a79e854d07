import { eventBridgeBus } from '../../adapters/eventbridge/bus.ts';
import { eventBridgeClient } from '../../adapters/eventbridge/client.ts';
import { sqsClient } from '../../adapters/sqs/client.ts';
import { sqsDelays } from '../../adapters/sqs/delays.ts';
import { ROUTES } from '../../flow/routes.ts';
import type { Hop, World } from '../../flow/world.ts';
import type { Event, EventName } from '../../model.ts';
import type { Consumer } from '../../ports/bus.ts';
import { routed } from '../routed.ts';
import type { Base, Delivery } from './base.ts';
import { queueVariable, setting } from './environment.ts';
import { knownOf, registry } from './registered.ts';

/** Adds a part of the world, made once for a function, anew for each delivery. */
export type Part = (base: Base) => (delivery: Delivery) => Promise<Partial<World>>;

/** The bus of a function, its delays, and the client of its queues. */
export function busOf({ env, store, clock }: Pick<Base, 'env' | 'store' | 'clock'>) {
  const sqs = sqsClient();
  const queueOf = (hop: string) => setting(env, queueVariable(hop));
  const delays = sqsDelays({ client: sqs, clock, queueOf });
  const bus = eventBridgeBus({
    ...{ client: eventBridgeClient(), bus: setting(env, 'GLEANER_BUS'), clock, routes: ROUTES, delays },
    audit: (line) => store.append(line),
  });
  return { sqs, queueOf, delays, bus };
}

/** A consumer over a world that is put together for each delivery. */
export function consuming<E extends EventName>(
  base: Base,
  takes: readonly E[],
  hop: Hop<E>,
  parts: readonly Part[],
): Consumer {
  const run = routed(takes, hop);
  const makers = parts.map((part) => part(base));
  const registered = registry(base);
  return async (event: Event) => {
    const delivery = { event, registered: await registered() };
    const made = await Promise.all(makers.map((make) => make(delivery)));
    return run(Object.assign(bare(base, delivery), ...made), event);
  };
}

/** A world without what only some hops need. */
export function bare(
  { clock, store }: Pick<Base, 'clock' | 'store'>,
  { registered }: Pick<Delivery, 'registered'>,
): World {
  const none = (what: string) => () => {
    throw new Error(`This function was put together without ${what}, which its hop asks for: see functions/`);
  };
  const [rules, directory] = [none('the policy'), none('the directory of people')];
  return {
    ...{ clock, store, modes: [], known: knownOf(registered), clusters: new Map() },
    rules: { policy: rules, person: rules, names: rules, text: rules },
    directory: { isMember: directory, belongs: directory, fresh: directory },
  };
}
