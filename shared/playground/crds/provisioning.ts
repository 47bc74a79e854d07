import type { JsonObject } from '../../handler.ts';
import { definition, fields, int64, listOf, open, openConditions, text } from './definition.ts';

/** What Rancher provisions clusters with. */
export const provisioning: readonly JsonObject[] = [
  definition({
    group: 'provisioning.cattle.io',
    kind: 'Cluster',
    plural: 'clusters',
    namespaced: true,
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields({
          spec: fields(
            {
              kubernetesVersion: { ...text, nullable: true },
              rkeConfig: fields(
                {
                  machinePools: {
                    ...listOf(
                      fields(
                        { name: text, machineConfigRef: { ...open, nullable: true } },
                        { required: ['machineConfigRef', 'name'], open: true },
                      ),
                    ),
                    nullable: true,
                  },
                },
                { open: true, nullable: true },
              ),
            },
            { open: true },
          ),
          status: fields({ conditions: openConditions }, { open: true }),
        }),
      },
    ],
  }),
  definition({
    group: 'cluster.x-k8s.io',
    kind: 'Machine',
    plural: 'machines',
    namespaced: true,
    shortNames: ['ma'],
    versions: [
      {
        name: 'v1beta1',
        status: true,
        schema: fields({ spec: open, status: fields({ conditions: openConditions }, { open: true }) }),
      },
    ],
  }),
  definition({
    group: 'rke.cattle.io',
    kind: 'RKEControlPlane',
    plural: 'rkecontrolplanes',
    namespaced: true,
    shortNames: ['rcp'],
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields({
          spec: fields(
            { clusterName: text, managementClusterName: text },
            { required: ['clusterName', 'managementClusterName'], open: true },
          ),
          status: fields(
            { observedGeneration: int64, conditions: openConditions },
            { required: ['observedGeneration'], open: true },
          ),
        }),
      },
    ],
  }),
  definition({
    group: 'rke-machine.cattle.io',
    kind: 'HarvesterMachine',
    plural: 'harvestermachines',
    namespaced: true,
    versions: [{ name: 'v1', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'rke-machine.cattle.io',
    kind: 'HarvesterMachineTemplate',
    plural: 'harvestermachinetemplates',
    namespaced: true,
    versions: [{ name: 'v1', schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'rke-machine-config.cattle.io',
    kind: 'HarvesterConfig',
    plural: 'harvesterconfigs',
    namespaced: true,
    versions: [{ name: 'v1', schema: open }],
  }),
];
