import { milliseconds, type ObjectRef } from '../handler.ts';
import type { Outgoing } from '../model.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, Watched } from '../ports/cluster.ts';
import type { World } from './world.ts';

/** Changes of this span become one event per mode: a storm of them is looked at once. */
const GATHER = milliseconds('1s');
/** How many objects an event names; the look finds the others. */
const NAMED = 20;

/** Follows a cluster until aborted, and publishes `observed` for each mode that a change may concern. */
export async function watch(
  world: World,
  { bus, clock }: { bus: Bus; clock: Clock },
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const modes = world.modes.filter((mode) => mode.on === cluster.flavour);
  const gathered = new Map<string, Map<string, ObjectRef>>();
  let cancel: (() => void) | undefined;

  function publish() {
    cancel = undefined;
    const outgoing: Outgoing[] = [...gathered].map(([mode, objects]) => ({
      fact: {
        event: 'observed',
        cluster: cluster.id,
        mode,
        because: 'changed',
        objects: [...objects.values()].slice(0, NAMED),
      },
    }));
    gathered.clear();
    void bus.publish(outgoing);
  }

  function tell(what: Watched) {
    if (what.is === 'changed') {
      for (const mode of modes.filter(({ triggers }) => triggers.includes(what.wake))) {
        const objects = gathered.get(mode.id) ?? new Map<string, ObjectRef>();
        for (const ref of what.objects) objects.set(ref.uid ?? `${ref.kind}/${ref.namespace}/${ref.name}`, ref);
        gathered.set(mode.id, objects);
      }
      cancel ??= clock.after(GATHER, publish);
      return;
    }
    const { kind } = what.kind;
    const blind = what.is === 'blind';
    const because = blind ? `not seeing any ${kind}: ${what.because}` : `seeing every ${kind} again`;
    const fact = { event: blind ? ('blinded' as const) : ('sighted' as const), cluster: cluster.id, kind, because };
    void bus.publish([{ fact }]);
  }

  signal.addEventListener('abort', () => cancel?.());
  await cluster.watch(
    modes.flatMap((mode) => mode.triggers),
    tell,
    signal,
  );
}
