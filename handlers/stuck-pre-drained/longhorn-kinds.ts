import * as z from 'zod';
import { kind, optional } from '../../shared/handler.ts';
import { conditions, type Of } from '../../shared/kinds.ts';

const longhorn = (name: string, plural: string) => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: name,
  plural,
  namespaced: true,
});

/** Before Longhorn 1.3 conditions were a map by type. */
const eitherConditions = z.union([conditions, z.record(z.string(), z.json()).transform(() => [])]);

export const Volume = kind(longhorn('Volume', 'volumes'), {
  spec: optional(z.object({ numberOfReplicas: optional(z.number()) })),
  status: optional(
    z.object({
      state: optional(z.string()),
      robustness: optional(z.string()),
      currentNodeID: optional(z.string()),
      conditions: eitherConditions,
      kubernetesStatus: optional(
        z.object({ workloadsStatus: optional(z.array(z.object({ podName: optional(z.string()) }))) }),
      ),
    }),
  ),
});
export type Volume = Of<typeof Volume>;

export const Replica = kind(longhorn('Replica', 'replicas'), {
  spec: optional(
    z.object({
      volumeName: optional(z.string()),
      nodeID: optional(z.string()),
      failedAt: optional(z.string()),
      healthyAt: optional(z.string()),
    }),
  ),
  status: optional(z.object({ currentState: optional(z.string()) })),
});
export type Replica = Of<typeof Replica>;

export const Engine = kind(longhorn('Engine', 'engines'), {
  spec: optional(
    z.object({ volumeName: optional(z.string()), nodeID: optional(z.string()), active: optional(z.boolean()) }),
  ),
  status: optional(z.object({ currentState: optional(z.string()) })),
});
export type Engine = Of<typeof Engine>;

const instances = optional(z.record(z.string(), z.unknown()));

export const InstanceManager = kind(longhorn('InstanceManager', 'instancemanagers'), {
  spec: optional(z.object({ nodeID: optional(z.string()), type: optional(z.string()) })),
  status: optional(z.object({ instanceEngines: instances, instances })),
});
export type InstanceManager = Of<typeof InstanceManager>;

export const Attachment = kind(longhorn('VolumeAttachment', 'volumeattachments'), {
  spec: optional(
    z.object({
      volume: optional(z.string()),
      attachmentTickets: optional(
        z.record(z.string(), z.object({ nodeID: optional(z.string()), type: optional(z.string()) })),
      ),
    }),
  ),
});
export type Attachment = Of<typeof Attachment>;
