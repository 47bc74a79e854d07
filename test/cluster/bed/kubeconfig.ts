import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { KeyPair } from './pki.ts';

/** Who connects, and where to. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly user: string;
  readonly keys: KeyPair;
}

/** Writes a kubeconfig with one cluster, one user and one context; gives the path back. */
export function writeKubeconfig(path: string, { server, ca, user, keys }: Access): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bed', cluster: { server, 'certificate-authority': ca } }],
    users: [{ name: user, user: { 'client-certificate': keys.cert, 'client-key': keys.key } }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user } }],
    'current-context': 'bed',
  };
  writeFileSync(path, stringify(content), { mode: 0o600 });
  return path;
}
