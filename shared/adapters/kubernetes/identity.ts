import { accessSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import type { Access, Credentials } from './access.ts';

/** The file by which kubelet gives a pod its service account. */
const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Where the address of the API server and the right to speak to it come from. */
export interface Whence {
  /** One kubeconfig, or several joined as in the variable KUBECONFIG: the first one to name something wins. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Without a kubeconfig: kubectl's rules (KUBECONFIG, ~/.kube/config, the pod's identity) instead of the pod alone. */
  readonly ambient?: boolean | undefined;
}

/**
 * Reads a kubeconfig, or the pod's identity. Throws an Error whose one line names the file or the context that is
 * missing or wrong. What authenticates is asked anew each time: tokens and certificates of a file or a plugin change.
 */
export function readIdentity(whence: Whence): Access {
  const config = load(whence);
  const context = whence.context ?? config.currentContext ?? '';
  const found = config.getContexts()?.find(({ name }) => name === context);
  if (!found) {
    const names = (config.getContexts() ?? []).map(({ name }) => name).join(', ') || 'none';
    throw new Error(`The kubeconfig has no context "${context}": choose one of ${names}`);
  }
  const cluster = config.getClusters()?.find(({ name }) => name === found.cluster);
  if (!cluster?.server) throw new Error(`The context "${context}" names no cluster with a server address`);
  const user = config.getUsers()?.find(({ name }) => name === found.user) ?? { name: 'anonymous' };
  return {
    context,
    server: cluster.server,
    // A new KubeConfig each time: the one that an exec plugin's token without expiry was cached in never asks again.
    renew: () => credentialsOf(cluster, user),
  };
}

function load({ kubeconfig, ambient }: Whence): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig !== undefined) return merged(kubeconfig.split(delimiter).filter(Boolean));
  if (ambient) {
    config.loadFromDefault();
    // client-node's last resort, where kubectl says that nothing is configured.
    if (config.getCurrentCluster()?.server !== 'http://localhost:8080') return config;
    throw new Error('No kubeconfig was found: name one with --kubeconfig, or set KUBECONFIG');
  }
  try {
    accessSync(POD_TOKEN);
  } catch {
    throw new Error('No kubeconfig was named, and this is no pod with a service account: give a kubeconfig');
  }
  config.loadFromCluster();
  return config;
}

/** kubectl's rule for several files; client-node's own merge refuses names that occur twice. */
function merged(paths: readonly string[]): KubeConfig {
  const configs = paths.map(readFile);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: configs.flatMap((one) => one.getClusters() ?? []),
    users: configs.flatMap((one) => one.getUsers() ?? []),
    contexts: configs.flatMap((one) => one.getContexts() ?? []),
    currentContext: configs.find((one) => one.currentContext)?.currentContext,
  });
  return config;
}

function readFile(path: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
  } catch (error) {
    throw new Error(`The kubeconfig ${path} cannot be read: ${firstLine(error)}`);
  }
  return config;
}

async function credentialsOf(cluster: Cluster, user: User): Promise<Credentials> {
  const config = new KubeConfig();
  // client-node refuses http:// without this; the transport allows it for loopback alone.
  const isPlain = cluster.server.startsWith('http:');
  config.loadFromClusterAndUser(isPlain ? { ...cluster, skipTLSVerify: true } : cluster, user);
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new Error(`The credentials of "${user.name}" cannot be read: ${firstLine(error)}`);
  }
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername, auth, agent } = options;
  return {
    headers: headersOf(options, auth),
    tls: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername },
    // Only a proxy needs client-node's agent: ours keeps connections alive.
    agent: cluster.proxyUrl && typeof agent === 'object' ? agent : undefined,
  };
}

function headersOf({ headers = {} }: RequestOptions, auth: string | null | undefined): Record<string, string> {
  const basic = auth ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  // client-node does not trim the token file of a pod, and Node refuses a header with a line break.
  const given = Object.entries(headers).map(([name, value]) => [name, String(value).trim()]);
  return { ...basic, ...Object.fromEntries(given) };
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
