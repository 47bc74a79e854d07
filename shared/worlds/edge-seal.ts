import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kmsClient } from '../adapters/kms/client.ts';
import { publicHalfOf, signingBy } from '../adapters/kms/key.ts';
import { readIdentity } from '../adapters/kubernetes/identity.ts';
import { kubernetesLease } from '../adapters/kubernetes/lease.ts';
import { leaseNotes } from '../adapters/seal/lease-notes.ts';
import { publicKey, verifiesBy } from '../adapters/seal/public-key.ts';
import { milliseconds } from '../handler.ts';
import type { Lease } from '../ports/lease.ts';
import type { Seal } from '../ports/seal.ts';
import type { Base, Delivery } from './aws/base.ts';
import { setting } from './aws/environment.ts';
import { checked } from './aws/kubeconfig.ts';

/** The Lease in which a cluster remembers its runs, and the namespace that Gleaner has there. */
export const RUNS = { namespace: 'gleaner', name: 'gleaner-runs' } as const;
/** How long one request about it may take. */
const WITHIN = milliseconds('5s');
/** A kubeconfig that was exchanged is used everywhere after so long. */
const KEPT = milliseconds('60s');

const elsewhere = (what: string) => async () => {
  throw new Error(`This function may not ${what} decisions: see functions/`);
};

/** The seal of the hop that decides: its role alone may sign with the key GLEANER_DECISION_KEY. */
export function signing({ env }: Pick<Base, 'env'>): () => Promise<{ seal: Seal }> {
  const sign = signingBy({ client: kmsClient(), id: setting(env, 'GLEANER_DECISION_KEY') });
  const seal: Seal = { sign, verify: elsewhere('verify'), notes: undefined };
  return async () => ({ seal });
}

/**
 * The seal of the hop that applies, where a function reaches the clusters: it has the public half of the key
 * GLEANER_DECISION_KEY, and each cluster remembers its own runs. While keys change, the former one stands there, too,
 * after a comma.
 */
export function verifying(base: Pick<Base, 'env' | 'machine' | 'parameters'>) {
  const ids = setting(base.env, 'GLEANER_DECISION_KEY').split(',');
  const client = kmsClient();
  const leases = leasesBy(base);
  let keys: Promise<ReturnType<typeof publicKey>[]> | undefined;

  async function known() {
    keys ??= Promise.all(ids.map(async (id) => publicKey(await publicHalfOf({ client, id: id.trim() })))).catch(
      (error) => {
        keys = undefined;
        throw error;
      },
    );
    return keys;
  }

  return async (delivery: Delivery): Promise<{ seal: Seal }> => ({
    seal: {
      sign: elsewhere('sign'),
      verify: async (text, signature) => verifiesBy(await known())(text, signature),
      notes: leaseNotes({ clock: base.machine, leaseOf: (cluster) => leases(delivery, cluster) }),
    },
  });
}

/** The Leases of clusters by the kubeconfigs that their rows name. */
function leasesBy({ machine, parameters }: Pick<Base, 'machine' | 'parameters'>) {
  const known = new Map<string, { readonly from: string; readonly lease: Lease }>();

  async function open({ registered }: Delivery, cluster: string): Promise<Lease> {
    const row = registered.get(cluster);
    if (row?.kubeconfig === undefined)
      throw new Error(`Cluster ${cluster} is not reached from here: it keeps its own notes`);
    const found = await parameters.newest(row.kubeconfig, KEPT);
    if (found.is !== 'there') throw new Error(`Cluster ${row.name} cannot be reached: ${found.because}`);
    const from = `${row.kubeconfig}:${found.version}`;
    const before = known.get(cluster);
    if (before?.from === from) return before.lease;
    const access = identityIn(checked(found.value, row.name));
    const lease = kubernetesLease({ ...RUNS, access, clock: machine, within: WITHIN });
    known.set(cluster, { from, lease });
    return lease;
  }

  return (delivery: Delivery, cluster: string): Pick<Lease, 'read' | 'write'> => ({
    read: async () => (await open(delivery, cluster)).read(),
    write: async (...given) => (await open(delivery, cluster)).write(...given),
  });
}

/** client-node's reader of kubeconfigs takes files. It has read all of it when it answers. */
function identityIn(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, text, { mode: 0o600 });
    return readIdentity({ kubeconfig });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
