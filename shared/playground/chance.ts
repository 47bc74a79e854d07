import { createHash } from 'node:crypto';

/** The letters of generated names (k8s.io/apimachinery util/rand). */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Identities that look random and are the same in every run from the same seed. */
export interface Chance {
  uid(): string;
  /** Five characters, as `generateName` appends them. */
  suffix(): string;
}

export function chance(seed: string): Chance {
  let count = 0;
  const next = () => createHash('sha256').update(`${seed} ${count++}`).digest();
  return {
    uid: () => uidOf(next()),
    suffix: () => [...next().subarray(0, 5)].map((byte) => LETTERS[byte % LETTERS.length]).join(''),
  };
}

/** The uid of the namespace kube-system of a cluster: the same whenever the cluster of that name starts. */
export const clusterId = (flavour: string, name: string) =>
  uidOf(createHash('sha256').update(`${flavour} ${name}`).digest());

function uidOf(digest: Buffer): string {
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
