/** The two Deployments that KubeVirt pins to the control plane. */
export const components = ['virt-api', 'virt-controller'] as const;
export type Component = (typeof components)[number];

export const namespace = 'harvester-system';

/** One node of the control plane and two workers. */
export const nodes = [
  { name: 'n1', labels: role('control-plane', 'etcd', 'master') },
  { name: 'n2', labels: {} },
  { name: 'n3', labels: {} },
] as const;

/** As virt-operator makes it (kubevirt pkg/virt-operator/resource/generate/components/deployments.go). */
export function budgetOf(component: Component): object {
  return {
    metadata: { name: `${component}-pdb`, labels: { 'kubevirt.io': `${component}-pdb` } },
    spec: { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io': component } } },
  };
}

/** As virt-operator makes it where the KubeVirt object lacks `spec.infra.nodePlacement`, down to what scheduling reads. */
export function deploymentOf(component: Component): object {
  const labels = { 'kubevirt.io': component };
  const requests = component === 'virt-api' ? { cpu: '5m', memory: '500Mi' } : { cpu: '10m', memory: '275Mi' };
  return {
    metadata: { name: component, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          affinity: { nodeAffinity: onControlPlane, podAntiAffinity: preferablyApart(labels) },
          containers: [{ name: component, image: `${component}:1.3.1`, resources: { requests } }],
        },
      },
    },
  };
}

/** The affinity by which virt-operator pins a Deployment. */
export const onControlPlane = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: ['control-plane', 'master'].map((name) => ({
      matchExpressions: [{ key: `node-role.kubernetes.io/${name}`, operator: 'Exists' }],
    })),
  },
};

function preferablyApart(labels: Record<string, string>): object {
  const podAffinityTerm = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] };
}

function role(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`node-role.kubernetes.io/${name}`, 'true']));
}
