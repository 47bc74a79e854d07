import type { DisconnectGiven, Left } from '../cli/connect.ts';
import type { Registered } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { type Hands, type Reached, reachAsAdmin } from './connect.ts';
import type { Stack } from './connect-aws.ts';
import { prune } from './connect-cluster.ts';
import { mustBeIdle, noted } from './connect-registry.ts';
import { HOME } from './connect-rights.ts';

/**
 * Undoes what connecting did, backwards: first nothing looks at the cluster any more, then what it looked with goes. Cards
 * that are open expire by themselves. Throws an Error of one line where it cannot; it may be run again.
 */
export async function disconnectCluster(given: DisconnectGiven, stack: Stack, hands: Hands): Promise<Left> {
  const { name, kubeconfig } = given;
  const rows = await stack.store.list('cluster');
  const row = rows.find(({ item }) => item.name === name);
  const reached = kubeconfig === undefined ? undefined : await reachAsAdmin({ ...given, kubeconfig }, hands);
  try {
    if (row && reached && reached.id !== row.item.id)
      throw new Error(
        `The kubeconfig leads to cluster ${reached.id}, and ${name} is ${row.item.id}: use that of ${name}`,
      );
    const other = row ? undefined : rows.find(({ item }) => item.id === reached?.id);
    if (other) throw new Error(`This cluster is registered as ${other.item.name}, and not as ${name}: say that name`);
    if (row && !given.force) await mustBeIdle(stack.store, row.item);
    await forget(given, stack, hands, { row, reached });
    const id = row?.item.id ?? reached?.id;
    if (id !== undefined) await forgetParameters(given, stack, hands, id);
    if (reached) await prune(reached.cluster, undefined, { ...hands, isTrial: given.dryRun });
    return {
      out: '',
      next: reached ? [`helm uninstall gleaner -n ${HOME}`, `kubectl delete namespace ${HOME}`] : [],
    };
  } finally {
    reached?.cluster.close();
  }
}

async function forget(
  { name, dryRun }: DisconnectGiven,
  stack: Stack,
  { tell }: Hands,
  { row, reached }: { readonly row: Row<Registered> | undefined; readonly reached: Reached | undefined },
): Promise<void> {
  const what = `the row of ${name} in the registry`;
  if (!row) return tell({ is: 'same', what, because: 'there is none' });
  if (!dryRun) {
    const event = {
      event: 'cluster-disconnected',
      cluster: row.item.id,
      name,
      who: reached?.who ?? 'an administrator',
    };
    await noted(stack.store, stack.clock.now().toISOString(), event);
    if (!(await stack.forget(row.item.id, row.version)))
      throw new Error(`The row of ${name} was changed at the same time, as by a heartbeat: run it again`);
  }
  tell({ is: 'ended', what });
}

async function forgetParameters(
  { dryRun }: DisconnectGiven,
  { parameters, names }: Stack,
  { tell }: Hands,
  id: string,
): Promise<void> {
  for (const parameter of Object.values(names(id))) {
    const what = `parameter ${parameter}`;
    const wasThere = dryRun ? (await parameters.get(parameter)) !== undefined : await parameters.remove(parameter);
    tell(wasThere ? { is: 'ended', what } : { is: 'same', what, because: 'there is none' });
  }
}
