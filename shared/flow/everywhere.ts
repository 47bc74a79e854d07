import type { Click } from '../model.ts';
import { cut } from './fit.ts';
import { notAllowedByAny, policyId } from './permit.ts';
import type { World } from './world.ts';

const RISKS = ['low', 'medium', 'high'] as const;

/** A cluster that was meant, by its id; or why it cannot be told. */
type Meant = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly because: string };

/** The cluster that a click is for. Only members are told which clusters there are. */
export async function clusterMeant(world: World, { who, from, cluster }: Click): Promise<Meant> {
  const member = await world.directory.isMember(who, from);
  return member.is === 'yes'
    ? clusterNamed(world, cluster)
    : { ok: false, because: `${who} may not decide this: ${member.because}` };
}

/** Finds the cluster that a person named by id or name, or the only one there is. Also one that is not connected now can be meant. */
async function clusterNamed(world: World, text: string | undefined): Promise<Meant> {
  const all = [...world.known.values()];
  if (text === undefined) {
    const [only, ...others] = all;
    if (only && others.length === 0) return { ok: true, id: only.id };
    return {
      ok: false,
      because: `say which cluster: ${all.map(({ name }) => name).join(', ') || 'none is connected'}`,
    };
  }
  const [named, ...others] = all.filter(({ id, name }) => id === text || name === text);
  if (named && others.length > 0) {
    const ids = [named, ...others].map(({ id }) => id).join(', ');
    return { ok: false, because: `several clusters are called ${text}: say which by its id, ${ids}` };
  }
  if (named) return { ok: true, id: named.id };
  const isKnown = (await world.store.list('incident', { cluster: text })).length > 0;
  return isKnown ? { ok: true, id: text } : { ok: false, because: `there is no such cluster ${cut(text, 80)}` };
}

/** Why a person may not decide for a whole cluster; undefined: any approver of any plan of those modes there may. */
export async function notAllowedThere(
  world: World,
  cluster: string,
  click: Click,
  modes: readonly string[] = ['*', ...world.modes.map(({ id }) => id)],
): Promise<string | undefined> {
  const all = modes.flatMap((mode) => RISKS.map((risk) => world.rules.policy({ cluster, mode, risk })));
  const policies = [...new Map(all.map((policy) => [policyId(policy), policy])).values()];
  const refusal = await notAllowedByAny(world, policies, click);
  return refusal === undefined
    ? undefined
    : `${click.who} is no approver of any plan on this cluster: ${refusal.because}`;
}
