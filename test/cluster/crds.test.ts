import { describe, expect, it } from 'vitest';
import { type Crd, readCrds } from './bed/crds.ts';

/**
 * What upstream's definitions look like from outside: name/version, scope, whether there is a status subresource, and
 * what is required at the top, in spec and in status. Read from the definitions in harvester/harvester,
 * harvester/load-balancer-harvester, harvester/network-controller-harvester, rancher/rancher and
 * longhorn/longhorn-manager (August 2026) and kubevirt/kubevirt v1.7.0.
 */
const upstream = `
uiplugins.catalog.cattle.io/v1                        Namespaced status spec,status.observedGeneration
upgrades.harvesterhci.io/v1beta1                      Namespaced none   spec
settings.harvesterhci.io/v1beta1                      Cluster    none   -
addons.harvesterhci.io/v1beta1                        Namespaced status spec,spec.chart,spec.enabled,spec.repo,spec.valuesContent,spec.version
kubevirts.kubevirt.io/v1                              Namespaced status spec
kubevirts.kubevirt.io/v1alpha3                        Namespaced status spec
virtualmachines.kubevirt.io/v1                        Namespaced status spec,spec.template
virtualmachineinstances.kubevirt.io/v1                Namespaced status spec,spec.domain
virtualmachineinstancemigrations.kubevirt.io/v1       Namespaced status spec
ippools.loadbalancer.harvesterhci.io/v1beta1          Cluster    none   spec,spec.ranges,status.available,status.lastAllocated,status.total
loadbalancers.loadbalancer.harvesterhci.io/v1alpha1   Namespaced none   spec.ipam
loadbalancers.loadbalancer.harvesterhci.io/v1beta1    Namespaced none   spec
volumes.longhorn.io/v1beta2                           Namespaced status -
replicas.longhorn.io/v1beta2                          Namespaced status -
engines.longhorn.io/v1beta2                           Namespaced status -
instancemanagers.longhorn.io/v1beta2                  Namespaced status -
nodes.longhorn.io/v1beta2                             Namespaced status -
volumeattachments.longhorn.io/v1beta2                 Namespaced status spec.volume
settings.longhorn.io/v1beta2                          Namespaced status value,status.applied
nodedrivers.management.cattle.io/v3                   Cluster    none   spec,spec.active,spec.url
dynamicschemas.management.cattle.io/v3                Cluster    none   spec
ippools.network.harvesterhci.io/v1alpha1              Namespaced status spec.networkName
clusters.provisioning.cattle.io/v1                    Namespaced status -
rkecontrolplanes.rke.cattle.io/v1                     Namespaced status spec.clusterName,spec.managementClusterName,status.observedGeneration
`;

/**
 * Definitions that a program makes when it starts, so that no file holds them: rancher pkg/crds/dashboard/crds.go and
 * pkg/controllers/capr/dynamicschema, k3s pkg/crd/crds.go; and those that other projects bring along.
 */
const fromCode = `
features.management.cattle.io/v3                      Cluster    none   -
settings.management.cattle.io/v3                      Cluster    none   value
clusters.management.cattle.io/v3                      Cluster    none   -
managedcharts.management.cattle.io/v3                 Namespaced status -
nodes.management.cattle.io/v3                         Namespaced none   -
nodetemplates.management.cattle.io/v3                 Namespaced none   -
harvestermachines.rke-machine.cattle.io/v1            Namespaced status -
harvestermachinetemplates.rke-machine.cattle.io/v1    Namespaced none   -
harvesterconfigs.rke-machine-config.cattle.io/v1      Namespaced none   -
addons.k3s.cattle.io/v1                               Namespaced none   -
virtualmachinebackups.harvesterhci.io/v1beta1         Namespaced none   spec.source
network-attachment-definitions.k8s.cni.cncf.io/v1     Namespaced none   -
machines.cluster.x-k8s.io/v1beta1                     Namespaced status -
bundles.fleet.cattle.io/v1alpha1                      Namespaced status -
upgradeplans.management.harvesterhci.io/v1beta1       Cluster    status -
`;

describe('our custom resource definitions', () => {
  it('look from outside as those of upstream do', () => {
    const ours = readCrds({ replacements: '' }).flatMap(surface);

    expect(ours.toSorted()).toEqual([...rows(upstream), ...rows(fromCode)].toSorted());
  });

  it('store exactly one version of each kind', () => {
    const stored = readCrds({ replacements: '' }).map(
      ({ spec }) => spec.versions.filter(({ storage }) => storage).length,
    );

    expect(new Set(stored)).toEqual(new Set([1]));
  });
});

function rows(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .map((row) => row.replace(/ +/g, ' '));
}

function surface({ metadata, spec }: Crd): string[] {
  return spec.versions.map(({ name, subresources, schema: { openAPIV3Schema: schema } }) => {
    const { spec: inSpec, status: inStatus } = schema.properties ?? {};
    const required = [
      ...(schema.required ?? []),
      ...(inSpec?.required ?? []).map((field) => `spec.${field}`),
      ...(inStatus?.required ?? []).map((field) => `status.${field}`),
    ];
    return `${metadata.name}/${name} ${spec.scope} ${subresources?.status ? 'status' : 'none'} ${required.join(',') || '-'}`;
  });
}
