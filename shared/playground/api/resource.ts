import type { Schema } from './schema.ts';

/** One served version of a resource, and how the API server treats it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** Whether the status is written by its own path only. Without it a PUT that leaves the status out erases it. */
  readonly status: boolean;
  /** Whether `metadata.generation` counts the changes of what is asked for. */
  readonly generation: boolean;
  /** Of a custom resource: what is pruned, defaulted and checked. Built-in kinds have none here. */
  readonly schema: Schema | undefined;
  /** Whether a PUT without resourceVersion is accepted. */
  readonly unconditional: boolean;
}

export const apiVersionOf = ({ group, version }: Resource) => (group ? `${group}/${version}` : version);

/** Where the store keeps a resource: all its versions together. */
export const keyOf = ({ group, plural }: Pick<Resource, 'group' | 'plural'>) => `${group}/${plural}`;

type Row = readonly [apiVersion: string, kind: string, plural: string, traits?: string];

/** Traits: c cluster-scoped, s status subresource, g counts its generation, v wants resourceVersion on every PUT. */
const BUILT_IN: readonly Row[] = [
  ['v1', 'Namespace', 'namespaces', 'cs'],
  ['v1', 'Node', 'nodes', 'cs'],
  ['v1', 'Pod', 'pods', 'sg'],
  ['v1', 'Service', 'services', 's'],
  ['v1', 'Endpoints', 'endpoints'],
  ['v1', 'ConfigMap', 'configmaps'],
  ['v1', 'Secret', 'secrets'],
  ['v1', 'ServiceAccount', 'serviceaccounts'],
  ['v1', 'Event', 'events'],
  ['v1', 'PersistentVolume', 'persistentvolumes', 'cs'],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 's'],
  ['v1', 'ResourceQuota', 'resourcequotas', 's'],
  ['apps/v1', 'Deployment', 'deployments', 'sg'],
  ['apps/v1', 'ReplicaSet', 'replicasets', 'sg'],
  ['apps/v1', 'DaemonSet', 'daemonsets', 'sg'],
  ['apps/v1', 'StatefulSet', 'statefulsets', 'sg'],
  ['batch/v1', 'Job', 'jobs', 'sg'],
  ['batch/v1', 'CronJob', 'cronjobs', 'sg'],
  ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'sgv'],
  ['coordination.k8s.io/v1', 'Lease', 'leases', 'v'],
  ['discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', 'g'],
  ['networking.k8s.io/v1', 'Ingress', 'ingresses', 'sg'],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'c'],
  ['storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', 'cs'],
  ['scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'cg'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'roles'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'c'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', 'c'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', 'cg'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', 'cg'],
  ['apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'cs'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', 'csgv'],
];

const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  namespaces: ['ns'],
  nodes: ['no'],
  pods: ['po'],
  services: ['svc'],
  endpoints: ['ep'],
  configmaps: ['cm'],
  serviceaccounts: ['sa'],
  events: ['ev'],
  persistentvolumes: ['pv'],
  persistentvolumeclaims: ['pvc'],
  deployments: ['deploy'],
  replicasets: ['rs'],
  daemonsets: ['ds'],
  statefulsets: ['sts'],
  poddisruptionbudgets: ['pdb'],
  customresourcedefinitions: ['crd', 'crds'],
};

/** The kinds that every API server has, as far as the playground needs them. */
export const builtIn: readonly Resource[] = BUILT_IN.map(([apiVersion, kind, plural, traits = '']) => {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return {
    group,
    version,
    kind,
    plural,
    shortNames: SHORT_NAMES[plural] ?? [],
    namespaced: !traits.includes('c'),
    status: traits.includes('s'),
    generation: traits.includes('g'),
    schema: undefined,
    unconditional: !traits.includes('v'),
  };
});
