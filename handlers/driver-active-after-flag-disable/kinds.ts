import * as z from 'zod';
import { kind, Metadata, optional } from '../../shared/handler.ts';
import { conditions, type Of } from '../../shared/kinds.ts';

const management = (name: string, plural: string, namespaced = false) => ({
  apiVersion: 'management.cattle.io/v3',
  kind: name,
  plural,
  namespaced,
});

/**
 * A feature flag of Rancher. It has no status subresource. Whether it is on is `lockedValue ?? spec.value ?? default`
 * (rancher pkg/features, IsEnabled).
 */
export const Feature = kind(management('Feature', 'features'), {
  spec: optional(z.object({ value: optional(z.boolean()) })),
  status: optional(z.object({ default: optional(z.boolean()), lockedValue: optional(z.boolean()) })),
  /** The API server notes when each writer last wrote. */
  metadata: Metadata.extend({ managedFields: optional(z.array(z.object({ time: optional(z.string()) }))) }),
});
export type Feature = Of<typeof Feature>;

/** A node driver. Its conditions say nothing of its state: both `Active` and `Inactive` are set to True. */
export const NodeDriver = kind(management('NodeDriver', 'nodedrivers'), {
  spec: z.object({ active: optional(z.boolean()), builtin: optional(z.boolean()), url: optional(z.string()) }),
  status: optional(z.object({ conditions })),
});
export type NodeDriver = Of<typeof NodeDriver>;

/** The fields that drivers add to Rancher's forms, by name: only the names are read. */
export const DynamicSchema = kind(management('DynamicSchema', 'dynamicschemas'), {
  spec: optional(
    z.object({
      resourceFields: z
        .record(z.string(), z.unknown())
        .nullish()
        .transform((fields) => Object.keys(fields ?? {})),
    }),
  ),
});

/** A cluster that Rancher provisions. */
export const ProvisionedCluster = kind(
  { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', plural: 'clusters', namespaced: true },
  {
    spec: optional(
      z.object({
        rkeConfig: optional(
          z.object({
            machinePools: optional(
              z.array(z.object({ machineConfigRef: optional(z.object({ kind: optional(z.string()) })) })),
            ),
          }),
        ),
      }),
    ),
  },
);

const machine = (name: string, plural: string) =>
  kind({ apiVersion: 'rke-machine.cattle.io/v1', kind: name, plural, namespaced: true }, {});

export const HarvesterMachine = machine('HarvesterMachine', 'harvestermachines');
export const HarvesterMachineTemplate = machine('HarvesterMachineTemplate', 'harvestermachinetemplates');

export const HarvesterConfig = kind(
  {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    plural: 'harvesterconfigs',
    namespaced: true,
  },
  {},
);

/** A machine of Cluster API. */
export const Machine = kind(
  { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', plural: 'machines', namespaced: true },
  {
    spec: optional(
      z.object({
        clusterName: optional(z.string()),
        infrastructureRef: optional(z.object({ kind: optional(z.string()) })),
      }),
    ),
  },
);

/** Nodes and templates of RKE1, which Rancher 2.12 no longer has. */
export const Rke1Node = kind(management('Node', 'nodes', true), {
  status: optional(z.object({ nodeTemplateSpec: optional(z.object({ driver: optional(z.string()) })) })),
});
export const NodeTemplate = kind(management('NodeTemplate', 'nodetemplates', true), {
  spec: optional(z.object({ driver: optional(z.string()) })),
});
