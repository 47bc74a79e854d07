import * as z from 'zod';
import { JsonValue, kind, optional } from '../../shared/handler.ts';
import { conditions, type Of } from '../../shared/kinds.ts';
import { Metadata } from './metadata.ts';

const group = (apiVersion: string, name: string, plural: string, namespaced = true) => ({
  apiVersion,
  kind: name,
  plural,
  namespaced,
});

/** KubeVirt. An absent `nodePlacement`, one that is `{}` and one with keys are three different things. */
export const KubeVirt = kind(group('kubevirt.io/v1', 'KubeVirt', 'kubevirts'), {
  metadata: Metadata,
  spec: optional(z.object({ infra: optional(z.object({ nodePlacement: optional(z.record(z.string(), JsonValue)) })) })),
  status: optional(
    z.object({ phase: optional(z.string()), observedKubeVirtVersion: optional(z.string()), conditions }),
  ),
});
export type KubeVirt = Of<typeof KubeVirt>;

export const VirtualMachineInstance = kind(
  group('kubevirt.io/v1', 'VirtualMachineInstance', 'virtualmachineinstances'),
  { status: optional(z.object({ phase: optional(z.string()), nodeName: optional(z.string()) })) },
);

const withConditions = optional(z.object({ conditions }));

/** A node as Rancher's planner sees it. The condition `Reconciled` says what it waits for. */
export const Machine = kind(group('cluster.x-k8s.io/v1beta1', 'Machine', 'machines'), {
  status: optional(
    z.object({
      conditions,
      deprecated: optional(z.object({ v1beta1: withConditions })),
      nodeRef: optional(z.object({ name: optional(z.string()) })),
      nodeInfo: optional(z.object({ kubeletVersion: optional(z.string()) })),
    }),
  ),
});
export type Machine = Of<typeof Machine>;

export const ProvisioningCluster = kind(group('provisioning.cattle.io/v1', 'Cluster', 'clusters'), {
  spec: optional(z.object({ kubernetesVersion: optional(z.string()) })),
  status: withConditions,
});

export const ControlPlane = kind(group('rke.cattle.io/v1', 'RKEControlPlane', 'rkecontrolplanes'), {
  status: withConditions,
});

export const ManagedChart = kind(group('management.cattle.io/v3', 'ManagedChart', 'managedcharts'), {
  status: withConditions,
});

/** A plan of Rancher's system upgrade controller; Harvester preloads images with one per upgrade. */
export const UpgradeControllerPlan = kind(group('upgrade.cattle.io/v1', 'Plan', 'plans'), {
  status: optional(z.object({ applying: optional(z.array(z.string())) })),
});

/** The experimental upgrade V2 of Harvester v1.8. */
export const UpgradePlan = kind(group('management.harvesterhci.io/v1beta1', 'UpgradePlan', 'upgradeplans', false), {
  status: optional(
    z.object({
      currentPhase: optional(z.string()),
      nodeUpgradeStatuses: optional(z.record(z.string(), z.object({ state: optional(z.string()) }))),
    }),
  ),
});
