import { type Look, type Mode, nameOf, type ObjectRef } from '../handler.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { World } from './world.ts';

const lastGoodId = (cluster: string, mode: string, ref: ObjectRef) => `${cluster}/${mode}/${ref.uid ?? nameOf(ref)}`;

/** A fresh picture of the cluster with the mode's rights, and with what the store remembers of the time before. */
export async function pictureOf(world: World, cluster: Cluster, mode: Mode): Promise<Look> {
  const picture = await cluster.look(mode.rights);
  return {
    ...picture,
    async lastGood(ref) {
      const row = await world.store.get('lastGood', lastGoodId(cluster.id, mode.id, ref));
      return row && { at: new Date(row.item.at), value: row.item.value };
    },
  };
}

/** Keeps the good state of each object that is well now, where the mode asks for it. */
export async function keepLastGood(world: World, cluster: Cluster, mode: Mode, look: Look): Promise<void> {
  if (!mode.lastGood) return;
  for (const object of await look.list(mode.lastGood.kind)) {
    const { name, namespace, uid } = object.metadata;
    const ref = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
    };
    const value = await mode.lastGood.good(look, ref);
    if (value === undefined) continue;
    const id = lastGoodId(cluster.id, mode.id, ref);
    const row = await world.store.get('lastGood', id);
    if (row && (row.item.at >= look.at.toISOString() || JSON.stringify(row.item.value) === JSON.stringify(value)))
      continue;
    // A lost race means that another look kept a state as good as this one.
    await world.store.put('lastGood', { schema: 1, id, at: look.at.toISOString(), value }, row?.version ?? 0);
  }
}
