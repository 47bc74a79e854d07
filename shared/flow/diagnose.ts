import type { Mode } from '../handler.ts';
import type { Click, Outgoing } from '../model.ts';
import { answered, refused } from './decision.ts';
import { clusterMeant, notAllowedThere } from './everywhere.ts';
import { cut } from './fit.ts';
import type { World } from './world.ts';

/** What people see on a host's console is said of its node. */
const CONSOLE = 'console';

/** Lets the modes look now that read the kind of an object, and tells who asked what each of them saw. */
export async function diagnose(world: World, click: Click): Promise<readonly Outgoing[]> {
  const cluster = await clusterMeant(world, click);
  if (!cluster.ok) return refused(click, cluster.because);
  const refusal = await notAllowedThere(world, cluster.id, click);
  if (refusal !== undefined) return refused(click, refusal);
  const flavour = world.known.get(cluster.id)?.flavour;
  const modes = world.modes.filter((mode) => mode.on === flavour && concerns(mode, click.what));
  if (modes.length === 0) {
    const known = world.modes.map(({ id }) => id).join(', ');
    return refused(
      click,
      `no failure mode reads ${cut(click.what ?? 'this cluster', 80)}: name an object such as Node/node1, or one of ${known}`,
    );
  }
  const because = `${click.who} asked to look`;
  const looks = modes.map(
    ({ id: mode }): Outgoing => ({
      fact: { event: 'observed', cluster: cluster.id, mode, because, objects: [], asked: click },
    }),
  );
  return [answered(click, `looking at ${modes.map(({ title }) => `"${title}"`).join(', ')}`), ...looks];
}

/** Whether a mode reads the kind of an object, or is the one that is named; all are where nothing is. */
export function concerns(mode: Mode, what: string | undefined): boolean {
  if (what === undefined || what === mode.id) return true;
  const kind = (what.toLowerCase() === CONSOLE ? 'Node' : (what.split('/')[0] ?? '')).toLowerCase();
  return mode.triggers.some((trigger) => trigger.kind.kind.toLowerCase() === kind);
}

/** Whether a person who asked about `what` wants to read of this object. */
export function isMeant(
  what: string | undefined,
  { kind, namespace, name }: { kind: string; namespace?: string | undefined; name: string },
): boolean {
  if (!what?.includes('/')) return true;
  const names = [`${kind}/${name}`, `${kind}/${namespace}/${name}`].map((each) => each.toLowerCase());
  return names.includes(what.toLowerCase());
}
