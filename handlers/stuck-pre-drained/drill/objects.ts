import type { JsonObject } from '../../../shared/handler.ts';
import { FLEET, SYSTEM } from '../sight.ts';

export const UPGRADE = 'hvst-upgrade-kdlvd';
const KUBERNETES = 'v1.31.4+rke2r1';
/** What Harvester v1.4.1 ships, and v1.4.2-rc1: since 1.3.0 KubeVirt pins where no placement is set. */
export const KUBEVIRT = { before: '1.2.2-150500.8.12.1', after: '1.3.1-150600.5.9.1' } as const;

/** The nodes with their machines; the first one is the only control-plane node once the drill has begun. */
export const MACHINES: readonly (readonly [node: string, machine: string])[] = [
  ['node1', 'custom-0f4b2d1e9a3c'],
  ['node2', 'custom-2b7c91d0aa54'],
  ['node3', 'custom-9e55f3c1b820'],
];

export const image = (component: string, version: string) => `registry.suse.com/suse/sles/15.6/${component}:${version}`;

/** As virt-operator makes them (kubevirt v1.3.1 pkg/virt-operator/resource/generate/components/deployments.go). */
const REQUESTS: Readonly<Record<string, JsonObject>> = {
  'virt-api': { cpu: '5m', memory: '500Mi' },
  'virt-controller': { cpu: '10m', memory: '275Mi' },
};

function deployment(name: string, version: string, replicas: number): JsonObject {
  const labels = { 'kubevirt.io': name };
  const podAffinityTerm = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] };
  const requests = REQUESTS[name] ?? { cpu: '10m', memory: '450Mi' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: SYSTEM, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          affinity: { podAntiAffinity },
          containers: [{ name, image: image(name, version), resources: { requests } }],
        },
      },
    },
  };
}

export const budget = (component: string): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: `${component}-pdb`, namespace: SYSTEM, labels: { 'kubevirt.io': `${component}-pdb` } },
  spec: { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io': component } } },
});

const kubevirt: JsonObject = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: SYSTEM },
  spec: { configuration: { developerConfiguration: { featureGates: ['LiveMigration', 'HotplugVolumes'] } } },
  status: {
    phase: 'Deployed',
    observedKubeVirtVersion: KUBEVIRT.before,
    conditions: [
      { type: 'Available', status: 'True', reason: 'AllComponentsReady' },
      { type: 'Progressing', status: 'False', reason: 'AllComponentsReady' },
      { type: 'Degraded', status: 'False', reason: 'AllComponentsReady' },
    ],
  },
};

const cluster: JsonObject = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: { name: 'local', namespace: FLEET },
  spec: { kubernetesVersion: KUBERNETES, rkeConfig: { provisionGeneration: 1 } },
  status: { ready: true, conditions: [{ type: 'Updated', status: 'True' }] },
};

const chart: JsonObject = {
  apiVersion: 'management.cattle.io/v3',
  kind: 'ManagedChart',
  metadata: { name: 'harvester', namespace: FLEET },
  spec: { chart: 'harvester', defaultNamespace: SYSTEM, releaseName: 'harvester', values: {} },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

const machineOf = ([node, name]: (typeof MACHINES)[number]): readonly JsonObject[] => [
  {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Machine',
    metadata: { name, namespace: FLEET },
    spec: { clusterName: 'local' },
    status: {
      phase: 'Running',
      nodeRef: { apiVersion: 'v1', kind: 'Node', name: node },
      nodeInfo: { kubeletVersion: KUBERNETES },
      conditions: [{ type: 'Reconciled', status: 'True' }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'rke.cattle.io/machine-plan',
    metadata: { name: `${name}-machine-plan`, namespace: FLEET, labels: { 'rke.cattle.io/machine-name': name } },
  },
];

/** Harvester v1.4.1 before its upgrade, as far as it is drained: KubeVirt with its control plane, and Rancher's records. */
export const healthy: readonly JsonObject[] = [
  kubevirt,
  deployment('virt-operator', KUBEVIRT.before, 1),
  deployment('virt-api', KUBEVIRT.before, 2),
  deployment('virt-controller', KUBEVIRT.before, 2),
  budget('virt-api'),
  budget('virt-controller'),
  cluster,
  chart,
  ...MACHINES.flatMap(machineOf),
];

/** The Upgrade when phase 3 begins: the images are on all nodes, and the system services are being upgraded. */
const upgradeStatus = (): JsonObject => ({
  previousVersion: 'v1.4.1',
  conditions: [
    ...['Completed', 'SystemServicesUpgraded', 'NodesUpgraded'].map((type) => ({ type, status: 'Unknown' })),
    ...['LogReady', 'ImageReady', 'RepoReady', 'NodesPrepared'].map((type) => ({ type, status: 'True' })),
  ],
  nodeStatuses: Object.fromEntries(MACHINES.map(([node]) => [node, { state: 'Images preloaded' }])),
});

export const upgrade = (): JsonObject => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Upgrade',
  metadata: {
    name: UPGRADE,
    namespace: SYSTEM,
    labels: { 'harvesterhci.io/latestUpgrade': 'true', 'harvesterhci.io/upgradeState': 'UpgradingSystemServices' },
  },
  spec: { version: 'v1.4.2-rc1', image: '', logEnabled: true },
  status: upgradeStatus(),
});
