import type { Json, JsonObject } from '../../handler.ts';

/** An object of a namespace; a cluster-scoped one where that is undefined. */
export const made = (
  [apiVersion, kind]: readonly [string, string],
  [namespace, name]: readonly [string | undefined, string],
  content: JsonObject = {},
  labels: JsonObject = {},
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }), ...(Object.keys(labels).length > 0 && { labels }) },
  ...content,
});

export const namespaces = (...names: readonly string[]): readonly JsonObject[] =>
  names.map((name) => made(['v1', 'Namespace'], [undefined, name]));

/** A node of the control plane, Ready; its times come from its kubelet. */
export function node(name: string, address: string, osImage: string, kubeletVersion: string): JsonObject {
  const roles = ['control-plane', 'etcd', 'master'].map((role) => [`node-role.kubernetes.io/${role}`, 'true'] as const);
  const said = {
    Ready: ['True', 'KubeletReady', 'kubelet is posting ready status'],
    MemoryPressure: ['False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    DiskPressure: ['False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    PIDPressure: ['False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  } as const;
  const capacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '500Gi', pods: '200' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...Object.fromEntries(roles),
      },
    },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      conditions: Object.entries(said).map(
        ([type, [status, reason, message]]): Json => ({ type, status, reason, message }),
      ),
      nodeInfo: {
        osImage,
        kubeletVersion,
        kernelVersion: '5.14.21-150500.55.94-default',
        containerRuntimeVersion: 'containerd://1.7.23-k3s2',
        architecture: 'amd64',
        operatingSystem: 'linux',
      },
    },
  };
}

interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly container: string;
  readonly image: string;
  /** Of the Deployment's spec, where it is not the default. */
  readonly strategy?: JsonObject;
  /** Further fields of the pods' spec. */
  readonly spec?: JsonObject;
}

/** A Deployment as its chart makes it, down to what scheduling and rules read. */
export function deployment({
  namespace,
  name,
  labels,
  replicas,
  container,
  image,
  strategy,
  spec = {},
}: Workload): JsonObject {
  return made(
    ['apps/v1', 'Deployment'],
    [namespace, name],
    {
      spec: {
        replicas,
        selector: { matchLabels: labels },
        ...(strategy && { strategy }),
        template: { metadata: { labels }, spec: { ...spec, containers: [{ name: container, image }] } },
      },
    },
    labels,
  );
}

/** Never two of them on one node. */
export const apart = (labels: JsonObject): JsonObject => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
});
