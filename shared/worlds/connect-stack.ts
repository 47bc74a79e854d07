import type { Run } from './connect.ts';
import type { Stack } from './connect-aws.ts';
import { put } from './connect-cluster.ts';
import { keysAt, keysRef, keysSecret, nextKeys, readKeys } from './connect-keys.ts';
import { noted, register } from './connect-registry.ts';
import type { Send } from './connect-values.ts';

/** A kubeconfig in its parameter before, and as it is to be; undefined: there is none (yet). */
interface Kubeconfigs {
  readonly kept: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Tells the stack of a cluster: its kubeconfig, its keys, and last its row, by which everything else begins to look. */
export async function tellStack(run: Run, stack: Stack, send: Send, kubeconfigs: Kubeconfigs): Promise<void> {
  const { given, isTrial, tell, who, id, flavour, does } = run;
  const { kubeconfig } = stack.names(id);
  await keep(run, stack, kubeconfig, kubeconfigs);
  if (send.via === 'ingest') await keepKeys(run, stack);
  const said = { id, name: given.name, flavour, does, kubeconfig };
  const registered = await register(stack.store, said, { who, now: stack.clock.now(), isTrial });
  tell({ is: registered.is, what: `the row of ${given.name} in the registry`, because: registered.because });
  if (given.rotate && !isTrial) {
    const event = given.revoke ? 'cluster-keys-revoked' : 'cluster-keys-rotated';
    await noted(stack.store, stack.clock.now().toISOString(), { event, cluster: id, name: given.name, who });
  }
}

async function keep(
  { given, does, isTrial, tell }: Run,
  { parameters }: Stack,
  name: string,
  { kept, kubeconfig }: Kubeconfigs,
): Promise<void> {
  const what = `parameter ${name}`;
  if (kept !== undefined && kept === kubeconfig) return tell({ is: 'same', what });
  if (kubeconfig !== undefined && !isTrial)
    await parameters.put(name, kubeconfig, `Kubeconfig with which Gleaner reaches ${given.name} (${does})`);
  tell({ is: kept === undefined ? 'made' : 'changed', what, because: 'the kubeconfig, encrypted' });
}

/** The watcher's keys: first where they are verified, then where they are used. */
async function keepKeys(
  { cluster, given, clock, isTrial, tell, id }: Run,
  { parameters, names }: Stack,
): Promise<void> {
  const { keys: name } = names(id);
  const read = await cluster.read(keysRef);
  if (read.is === 'unreadable') throw new Error(read.because);
  const kept = readKeys(await parameters.get(name));
  const { keys, changedAt } = nextKeys({ ...given, kept, at: keysAt(read), now: clock.now() });
  const what = `parameter ${name}`;
  const isSame = kept.length === keys.length && keys.every((key, index) => key === kept[index]);
  if (isSame) tell({ is: 'same', what });
  else {
    if (!isTrial) await parameters.put(name, keys.join('\n'), `Keys of the watcher of ${given.name}`);
    const because = keys.length > 1 ? 'a new key, and the former one beside it' : "the watcher's key, encrypted";
    tell({ is: kept.length === 0 ? 'made' : 'changed', what, because });
  }
  await put(cluster, keysSecret(keys, changedAt), { isTrial, tell });
}
