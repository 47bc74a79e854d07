import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Access } from './access.ts';

/** Where kubelet puts a pod's service account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface PodOptions {
  /** As kubelet sets KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly host: string;
  readonly port: string;
  readonly folder?: string;
}

/**
 * The identity of a pod, without the library that reads kubeconfigs, which weighs more than all else that a watcher
 * loads. The token is read anew each time: kubelet renews it in its file.
 */
export function podIdentity({ host, port, folder = ACCOUNT }: PodOptions): Access {
  return {
    context: 'pod',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async renew() {
      const [token, ca] = await Promise.all([part(folder, 'token'), part(folder, 'ca.crt')]);
      return { headers: { Authorization: `Bearer ${token}` }, tls: { ca }, agent: undefined };
    },
  };
}

async function part(folder: string, name: string): Promise<string> {
  try {
    return (await readFile(join(folder, name), 'utf8')).trim();
  } catch {
    throw new Error(`${join(folder, name)} cannot be read: give the pod a service account with its token mounted`);
  }
}
