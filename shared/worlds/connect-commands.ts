import { systemClock } from '../adapters/clock/system.ts';
import type { Connecting } from '../cli/connect.ts';
import { connectCluster } from './connect.ts';
import { openStack, type Wires } from './connect-aws.ts';
import { listed } from './connect-registry.ts';
import { disconnectCluster } from './connect-undo.ts';

/** What `gleaner connect`, `disconnect` and `clusters` call. */
export const connectingOn = (
  env: Readonly<Record<string, string | undefined>>,
  { clock = systemClock, wires = {} }: { readonly clock?: typeof systemClock; readonly wires?: Wires } = {},
): Connecting => ({
  async connect(given, tell) {
    const stack = given.print ? undefined : await openStack(given, env, { clock, wires });
    return connectCluster(given, stack, { clock, tell });
  },
  async disconnect(given, tell) {
    return disconnectCluster(given, await openStack(given, env, { clock, wires }), { clock, tell });
  },
  async clusters(given) {
    const { store, clock: time } = await openStack(given, env, { clock, wires });
    return { now: time.now(), clusters: await listed(store) };
  },
});
