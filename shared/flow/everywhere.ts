import type { Click } from '../model.ts';
import { notAllowedByAny } from './permit.ts';
import type { World } from './world.ts';

/** A cluster that was meant, by its id; or why it cannot be told. */
type Meant = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly because: string };

/** Finds the cluster that a person named by id or name, or the only one there is. Also one that is not connected now can be meant. */
export async function clusterNamed(world: World, text: string | undefined): Promise<Meant> {
  const all = [...world.known.values()];
  if (text === undefined) {
    const [only, ...others] = all;
    if (only && others.length === 0) return { ok: true, id: only.id };
    return {
      ok: false,
      because: `say which cluster: ${all.map(({ name }) => name).join(', ') || 'none is connected'}`,
    };
  }
  const named = all.find(({ id, name }) => id === text || name === text);
  if (named) return { ok: true, id: named.id };
  const isKnown = (await world.store.list('incident', { cluster: text })).length > 0;
  return isKnown ? { ok: true, id: text } : { ok: false, because: `there is no such cluster ${text}` };
}

/** Why a person may not decide for a whole cluster; undefined: any approver of any plan there may, for one mode or for all. */
export async function notAllowedThere(
  world: World,
  cluster: string,
  click: Click,
  mode = '*',
): Promise<string | undefined> {
  const policies = (['low', 'medium', 'high'] as const).map((risk) => world.rules.policy({ cluster, mode, risk }));
  const refusal = await notAllowedByAny(world, policies, click);
  return refusal === undefined
    ? undefined
    : `${click.who} is no approver of any plan on this cluster: ${refusal.because}`;
}
