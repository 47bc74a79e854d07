import type { JsonObject } from '../../../shared/handler.ts';

export const SYSTEM = 'harvester-system';
const VERSION = 'v1.4.2';

const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const setting = (name: string, value: string, standard = ''): JsonObject => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name },
  value,
  default: standard,
});

/** What Harvester creates at start: empty. */
export const STORAGE_NETWORK = setting('storage-network', '');

interface Workload {
  readonly name: string;
  readonly labels: JsonObject;
  readonly container: string;
  readonly image: string;
  readonly replicas: number;
  readonly affinity?: JsonObject;
}

const deployment = ({ name, labels, container, image, replicas, affinity }: Workload): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: SYSTEM, labels },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { ...(affinity && { affinity }), containers: [{ name: container, image }] },
    },
  },
});

const apart = (labels: JsonObject) => ({
  labelSelector: { matchLabels: labels },
  topologyKey: 'kubernetes.io/hostname',
});

function harvester(component: string, name: string, container: string, image: string): JsonObject {
  const labels = { 'app.kubernetes.io/name': 'harvester', 'app.kubernetes.io/component': component };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart(labels)] } };
  return deployment({ name, labels, container, image: `rancher/${image}:${VERSION}`, replicas: 3, affinity });
}

/** As virt-operator makes it (kubevirt pkg/virt-operator/resource/generate/components/deployments.go). */
function virtApi(): JsonObject {
  const labels = { 'kubevirt.io': 'virt-api' };
  const nodeSelectorTerms = ['control-plane', 'master'].map((role) => ({
    matchExpressions: [{ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' }],
  }));
  return deployment({
    ...{ name: 'virt-api', labels, container: 'virt-api', image: 'registry.suse.com/suse/sles/15.6/virt-api:1.3.1' },
    replicas: 2,
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: apart(labels) }],
      },
    },
  });
}

const kubevirt = { apiVersion: 'kubevirt.io/v1' };
/** Keeps an instance until virt-handler says that its guest is down. */
export const FINALIZER = 'foregroundDeleteVirtualMachine';

interface Machine {
  readonly name: string;
  readonly runStrategy: string;
  readonly grace: number;
  readonly annotations?: JsonObject;
}

/** A virtual machine that runs, its instance, and the volume that it is on. */
function machine({ name, runStrategy, grace, annotations = {} }: Machine): readonly JsonObject[] {
  const claim = `${name}-root`;
  const spec = {
    domain: {
      devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
      resources: { requests: { memory: '2Gi' } },
    },
    terminationGracePeriodSeconds: grace,
    volumes: [{ name: 'root', persistentVolumeClaim: { claimName: claim } }],
  };
  const vm = {
    ...kubevirt,
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', annotations },
    spec: { runStrategy, template: { metadata: { labels: { 'harvesterhci.io/vmName': name } }, spec } },
    status: { printableStatus: 'Running', created: true, ready: true },
  };
  const vmi = {
    ...kubevirt,
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default', finalizers: [FINALIZER] },
    spec,
    status: { phase: 'Running', nodeName: 'node1' },
  };
  const volume = {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Volume',
    metadata: { name: `pvc-${name}`, namespace: 'longhorn-system' },
    spec: { size: '10737418240', numberOfReplicas: 3 },
    status: { state: 'attached', robustness: 'healthy', kubernetesStatus: { namespace: 'default', pvcName: claim } },
  };
  return [vm, vmi, volume];
}

/** A Harvester that serves, with one VM that a manifest of RKE2 brought and one that a user made. */
export const healthy: readonly JsonObject[] = [
  ...['default', SYSTEM, 'longhorn-system', 'kube-system'].map(namespace),
  setting('log-level', '', 'info'),
  setting('ui-source', '', 'auto'),
  STORAGE_NETWORK,
  harvester('apiserver', 'harvester', 'apiserver', 'harvester'),
  harvester('webhook-server', 'harvester-webhook', 'harvester-webhook', 'harvester-webhook'),
  virtApi(),
  {
    apiVersion: 'k3s.cattle.io/v1',
    kind: 'Addon',
    metadata: { name: 'edge-router', namespace: 'kube-system' },
    spec: {
      source: '/var/lib/rancher/rke2/server/manifests/edge-router.yaml',
      checksum: '6f1b0c6c1a6a0b6e0d7a3f4c7b7d6d0a2a3f9a1f9d7a1a6b1c2d3e4f5a6b7c8d',
    },
  },
  ...machine({
    name: 'edge-router',
    runStrategy: 'RerunOnFailure',
    grace: 60,
    annotations: {
      'objectset.rio.cattle.io/owner-gvk': 'k3s.cattle.io/v1, Kind=Addon',
      'objectset.rio.cattle.io/owner-name': 'edge-router',
      'objectset.rio.cattle.io/owner-namespace': 'kube-system',
    },
  }),
  ...machine({ name: 'orders-db', runStrategy: 'Always', grace: 120 }),
];
