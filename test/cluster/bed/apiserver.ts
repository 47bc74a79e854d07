import { join } from 'node:path';
import type { Recipe } from './component.ts';
import type { Pki } from './pki.ts';
import type { Request } from './requester.ts';
import { until } from './until.ts';

/** What a test may change about the API server. */
export interface ApiServerOptions {
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further flags, as `--audit-log-path=…` or `--emulated-version=kube=1.33`. */
  readonly apiserverArgs?: readonly string[];
}

/** What the components of one control plane know of each other. */
export interface Place {
  readonly folder: string;
  readonly pki: Pki;
  readonly url: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly request: Request;
}

/** kube-apiserver as envtest runs it, with the keys for aggregated APIs and for asking nodes for logs. */
export function apiServerRecipe(program: string, place: Place, options: ApiServerOptions): Recipe {
  const gates = Object.entries(options.featureGates ?? {}).map(([gate, on]) => `${gate}=${on}`);
  return {
    program,
    logFile: join(place.folder, 'kube-apiserver.log'),
    args: [
      `--etcd-servers=${place.etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${place.port}`,
      `--cert-dir=${place.folder}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--allow-privileged=true',
      '--disable-admission-plugins=ServiceAccount',
      ...keyFlags(place),
      ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
      ...(options.apiserverArgs ?? []),
    ],
    ready: async () => {
      await until(
        'kube-apiserver is ready',
        async () => (await place.request('GET', '/readyz')).code === 200 || undefined,
      );
    },
  };
}

function keyFlags({ pki, url }: Place): string[] {
  return [
    `--tls-cert-file=${pki.serving.cert}`,
    `--tls-private-key-file=${pki.serving.key}`,
    `--client-ca-file=${pki.ca.cert}`,
    `--service-account-issuer=${url}/`,
    `--service-account-key-file=${pki.serviceAccounts.cert}`,
    `--service-account-signing-key-file=${pki.serviceAccounts.key}`,
    `--requestheader-client-ca-file=${pki.frontProxyCa.cert}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki.frontProxy.cert}`,
    `--proxy-client-key-file=${pki.frontProxy.key}`,
    `--kubelet-certificate-authority=${pki.ca.cert}`,
    `--kubelet-client-certificate=${pki.kubeletClient.cert}`,
    `--kubelet-client-key=${pki.kubeletClient.key}`,
    '--kubelet-preferred-address-types=InternalIP',
  ];
}
