import * as z from 'zod';
import { kind, optional } from '../../shared/handler.ts';
import { conditions, type Of } from '../../shared/kinds.ts';

const strings = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

/**
 * The load balancer's pool, cluster-scoped and without a status subresource (load-balancer-harvester crds/, v0.4.4 to
 * v1.7.0): a PUT without `.status` erases it. Three other groups on a Harvester cluster have a kind of the same name.
 */
export const IPPool = kind(
  { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', plural: 'ippools', namespaced: false },
  {
    spec: z.object({
      ranges: z.array(
        z.object({
          subnet: z.string(),
          gateway: optional(z.string()),
          rangeStart: optional(z.string()),
          rangeEnd: optional(z.string()),
        }),
      ),
      selector: optional(z.object({ network: optional(z.string()) })),
    }),
    status: optional(
      z.object({
        total: optional(z.number()),
        available: optional(z.number()),
        lastAllocated: optional(z.string()),
        allocated: strings,
        allocatedHistory: strings,
        conditions,
      }),
    ),
  },
);
export type IPPool = Of<typeof IPPool>;

/** A load balancer of a VM or of a guest cluster; both kinds stand in the Harvester cluster. It has no status subresource either. */
export const LoadBalancer = kind(
  {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    plural: 'loadbalancers',
    namespaced: true,
  },
  {
    spec: optional(
      z.object({
        ipam: optional(z.string()),
        ipPool: optional(z.string()),
        workloadType: optional(z.string()),
      }),
    ),
    status: optional(
      z.object({
        address: optional(z.string()),
        allocatedAddress: optional(z.object({ ipPool: optional(z.string()), ip: optional(z.string()) })),
        conditions,
      }),
    ),
  },
);
export type LoadBalancer = Of<typeof LoadBalancer>;

export const NetworkAttachmentDefinition = kind(
  {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    plural: 'network-attachment-definitions',
    namespaced: true,
  },
  {},
);

/** An installed extension of Rancher's UI: the one named `harvester` did the buggy saves. It stands in Rancher's cluster. */
export const UIPlugin = kind(
  { apiVersion: 'catalog.cattle.io/v1', kind: 'UIPlugin', plural: 'uiplugins', namespaced: true },
  { spec: optional(z.object({ plugin: optional(z.object({ version: optional(z.string()) })) })) },
);

/** The presence of a status, and nothing of what it holds. */
const anyStatus = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((status) => Object.keys(status ?? {}).length > 0);

const harvesterKind = (name: string, plural: string) =>
  kind({ apiVersion: 'harvesterhci.io/v1beta1', kind: name, plural, namespaced: true }, { status: anyStatus });

/** Other kinds without a status subresource that threads name as wiped (harvester #7791, #6030, #7516). */
export const Upgrade = harvesterKind('Upgrade', 'upgrades');
export const VirtualMachineImage = harvesterKind('VirtualMachineImage', 'virtualmachineimages');
export const BlockDevice = harvesterKind('BlockDevice', 'blockdevices');
