import * as z from 'zod';
import { kind, optional } from '../../shared/handler.ts';
import { conditions, type Of } from '../../shared/kinds.ts';

const kubevirt = (name: string, plural: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: name,
  plural,
  namespaced: true,
});

/** A virtual machine: what its owner wants. `running` and `runStrategy` exclude each other. */
export const VirtualMachine = kind(kubevirt('VirtualMachine', 'virtualmachines'), {
  spec: optional(
    z.object({
      running: optional(z.boolean()),
      runStrategy: optional(z.string()),
      template: optional(
        z.object({
          spec: optional(
            z.object({
              terminationGracePeriodSeconds: optional(z.number()),
              volumes: optional(
                z.array(
                  z.object({
                    persistentVolumeClaim: optional(z.object({ claimName: optional(z.string()) })),
                    dataVolume: optional(z.object({ name: optional(z.string()) })),
                  }),
                ),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
  status: optional(
    z.object({
      printableStatus: optional(z.string()),
      stateChangeRequests: optional(z.array(z.object({ action: z.string() }))),
    }),
  ),
});
export type VirtualMachine = Of<typeof VirtualMachine>;

/** The running instance of a virtual machine, of the same name. */
export const VirtualMachineInstance = kind(kubevirt('VirtualMachineInstance', 'virtualmachineinstances'), {
  status: optional(z.object({ phase: optional(z.string()) })),
});
export type VirtualMachineInstance = Of<typeof VirtualMachineInstance>;

export const VirtualMachineInstanceMigration = kind(
  kubevirt('VirtualMachineInstanceMigration', 'virtualmachineinstancemigrations'),
  {
    spec: optional(z.object({ vmiName: optional(z.string()) })),
    status: optional(z.object({ phase: optional(z.string()) })),
  },
);

/** A backup or snapshot of a virtual machine; it is over when it is ready to use or has an error. */
export const VirtualMachineBackup = kind(
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineBackup',
    plural: 'virtualmachinebackups',
    namespaced: true,
  },
  {
    spec: optional(z.object({ source: optional(z.object({ name: optional(z.string()) })) })),
    status: optional(
      z.object({
        readyToUse: optional(z.boolean()),
        error: optional(z.object({ message: optional(z.string()) })),
        backupTarget: optional(z.object({ endpoint: optional(z.string()) })),
      }),
    ),
  },
);
export type VirtualMachineBackup = Of<typeof VirtualMachineBackup>;

/** Longhorn's volume. `kubernetesStatus` names the claim that it serves. */
export const Volume = kind(
  { apiVersion: 'longhorn.io/v1beta2', kind: 'Volume', plural: 'volumes', namespaced: true },
  {
    status: optional(
      z.object({
        state: optional(z.string()),
        kubernetesStatus: optional(z.object({ namespace: optional(z.string()), pvcName: optional(z.string()) })),
      }),
    ),
  },
);
export type Volume = Of<typeof Volume>;

/** One manifest file that RKE2 applies; not the add-ons of harvesterhci.io. Without a checksum its last pass failed. */
export const Manifest = kind(
  { apiVersion: 'k3s.cattle.io/v1', kind: 'Addon', plural: 'addons', namespaced: true },
  { spec: optional(z.object({ source: optional(z.string()), checksum: optional(z.string()) })) },
);

const fleet = { namespaced: true };
/** What Rancher and Fleet say of installing Harvester's chart. */
export const ManagedChart = kind(
  { ...fleet, apiVersion: 'management.cattle.io/v3', kind: 'ManagedChart', plural: 'managedcharts' },
  { status: optional(z.object({ conditions })) },
);
export const Bundle = kind(
  { ...fleet, apiVersion: 'fleet.cattle.io/v1alpha1', kind: 'Bundle', plural: 'bundles' },
  { status: optional(z.object({ conditions })) },
);

/** Anybody who may create events can forge one: they are a reason to refuse, never one to act. */
export const Event = kind(
  { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true },
  { reason: optional(z.string()), lastTimestamp: optional(z.string()), eventTime: optional(z.string()) },
);
