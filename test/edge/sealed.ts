import { generateKeyPairSync, sign } from 'node:crypto';
import { leaseNotes } from '../../shared/adapters/seal/lease-notes.ts';
import { publicKey, verifiesBy } from '../../shared/adapters/seal/public-key.ts';
import type { Lease, LeaseRecord } from '../../shared/ports/lease.ts';
import type { Seal } from '../../shared/ports/seal.ts';

/** A Lease in memory: compare-and-set by its version, like the API server's. */
export function memoryLease(): Lease & { readonly note: () => string | undefined } {
  let record: LeaseRecord | undefined;
  let version = 0;
  return {
    note: () => record?.note,
    read: async () => (record ? { is: 'there', record } : { is: 'absent' }),
    async write({ holder, transitions, renewedAt, note }, over) {
      if (over?.version !== record?.version) return { is: 'beaten' };
      version += 1;
      record = {
        ...{ holder, transitions, uid: 'u-lease', version: `${version}`, acquiredAt: undefined },
        renewedAt: renewedAt.toISOString(),
        note: note ?? record?.note,
      };
      return { is: 'written', record };
    },
  };
}

/** A key on P-256, and who signs with it as KMS does. */
export function signer() {
  const { privateKey, publicKey: half } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    pem: half.export({ type: 'spki', format: 'pem' }).toString(),
    der: half.export({ type: 'spki', format: 'der' }).toString('base64'),
    sign: async (text: string) => sign('sha256', Buffer.from(text), privateKey).toString('base64'),
  };
}

/** A seal with a key of its own, whose clusters remember their runs in one Lease each. `now` is asked when it is needed. */
export function sealed(
  now: () => Date,
): Seal & { readonly leases: ReadonlyMap<string, ReturnType<typeof memoryLease>> } {
  const key = signer();
  const leases = new Map<string, ReturnType<typeof memoryLease>>();
  return {
    leases,
    sign: key.sign,
    verify: verifiesBy([publicKey(key.pem)]),
    notes: leaseNotes({
      clock: { now },
      leaseOf(cluster) {
        const lease = leases.get(cluster) ?? memoryLease();
        leases.set(cluster, lease);
        return lease;
      },
    }),
  };
}
