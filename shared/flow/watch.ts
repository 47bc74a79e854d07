import { milliseconds, type ObjectRef } from '../handler.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, Watched } from '../ports/cluster.ts';
import type { World } from './world.ts';

/** A mode is told of its first change at once; what follows within this span becomes one event: a storm is looked at twice. */
const GATHER = milliseconds('1s');
/** How many objects an event names; the look finds the others. */
const NAMED = 20;

/** Follows a cluster until aborted, and publishes `observed` for each mode that a change may concern. */
export async function watch(
  world: Pick<World, 'modes'>,
  { bus, clock }: { bus: Bus; clock: Clock },
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const modes = world.modes.filter((mode) => mode.on === cluster.flavour);
  /** What is to be told to a mode when its span is over; a mode that is not named here is told at once. */
  const gathered = new Map<string, Map<string, ObjectRef>>();
  const cancels = new Map<string, () => void>();

  function publish(mode: string, objects: ReadonlyMap<string, ObjectRef>) {
    gathered.set(mode, new Map());
    cancels.set(
      mode,
      clock.after(GATHER, () => over(mode)),
    );
    const named = [...objects.values()].slice(0, NAMED);
    const fact = { event: 'observed' as const, cluster: cluster.id, mode, because: 'changed', objects: named };
    void bus.publish([{ fact }]);
  }

  function over(mode: string) {
    const objects = gathered.get(mode);
    gathered.delete(mode);
    if (objects?.size) publish(mode, objects);
  }

  function changed({ wake, objects: refs }: Extract<Watched, { is: 'changed' }>) {
    for (const mode of modes.filter(({ triggers }) => triggers.includes(wake))) {
      const waiting = gathered.get(mode.id);
      const objects = waiting ?? new Map<string, ObjectRef>();
      for (const ref of refs) objects.set(ref.uid ?? `${ref.kind}/${ref.namespace}/${ref.name}`, ref);
      if (!waiting) publish(mode.id, objects);
    }
  }

  function tell(what: Watched) {
    if (what.is === 'changed') return changed(what);
    const { kind } = what.kind;
    const [event, because] =
      what.is === 'blind'
        ? (['blinded', `not seeing any ${kind}: ${what.because}`] as const)
        : (['sighted', `seeing every ${kind} again`] as const);
    void bus.publish([{ fact: { event, cluster: cluster.id, kind, because } }]);
  }

  signal.addEventListener('abort', () => cancels.forEach((cancel) => void cancel()));
  await cluster.watch(
    modes.flatMap((mode) => mode.triggers),
    tell,
    signal,
  );
}
