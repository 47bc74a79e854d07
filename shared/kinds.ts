import * as z from 'zod';
import { conditions } from './conditions.ts';
import { kind, type Of, optional, type Seen } from './objects.ts';

export * from './conditions.ts';
export * from './harvester-kinds.ts';
export type { Of } from './objects.ts';

export const LabelSelector = z.object({
  matchLabels: z
    .record(z.string(), z.string())
    .nullish()
    .transform((value) => value ?? {}),
  matchExpressions: optional(
    z.array(z.object({ key: z.string(), operator: z.string(), values: optional(z.array(z.string())) })),
  ),
});

const Affinity = z.object({
  nodeAffinity: optional(
    z.object({
      requiredDuringSchedulingIgnoredDuringExecution: optional(
        z.object({
          nodeSelectorTerms: z.array(
            z.object({
              matchExpressions: optional(
                z.array(z.object({ key: z.string(), operator: z.string(), values: optional(z.array(z.string())) })),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** Quantities by resource: `{ cpu: '500m', memory: '1Gi' }`; plain numbers where YAML was written by hand. */
const Quantities = z.record(z.string(), z.union([z.string(), z.number()]));

const Containers = z.array(
  z.object({
    name: z.string(),
    image: optional(z.string()),
    resources: optional(z.object({ requests: optional(Quantities) })),
  }),
);

const core = (name: string, plural: string, namespaced = true) => ({
  apiVersion: 'v1',
  kind: name,
  plural,
  namespaced,
});

export const Namespace = kind(core('Namespace', 'namespaces', false), {});

export const Node = kind(core('Node', 'nodes', false), {
  spec: optional(
    z.object({
      unschedulable: optional(z.boolean()),
      taints: optional(z.array(z.object({ key: z.string(), value: optional(z.string()), effect: z.string() }))),
    }),
  ),
  status: optional(
    z.object({
      conditions,
      addresses: optional(z.array(z.object({ type: z.string(), address: z.string() }))),
      allocatable: optional(Quantities),
      nodeInfo: optional(
        z.object({
          kubeletVersion: optional(z.string()),
          osImage: optional(z.string()),
          architecture: optional(z.string()),
        }),
      ),
    }),
  ),
});
export type Node = Of<typeof Node>;

const ContainerState = optional(
  z.object({
    waiting: optional(z.object({ reason: optional(z.string()), message: optional(z.string()) })),
    running: optional(z.object({ startedAt: optional(z.string()) })),
    terminated: optional(
      z.object({
        exitCode: optional(z.number()),
        reason: optional(z.string()),
        message: optional(z.string()),
        finishedAt: optional(z.string()),
      }),
    ),
  }),
);

export const Pod = kind(core('Pod', 'pods'), {
  spec: optional(
    z.object({
      nodeName: optional(z.string()),
      containers: optional(Containers),
    }),
  ),
  status: optional(
    z.object({
      phase: optional(z.string()),
      reason: optional(z.string()),
      conditions,
      containerStatuses: optional(
        z.array(
          z.object({
            name: z.string(),
            ready: optional(z.boolean()),
            restartCount: optional(z.number()),
            state: ContainerState,
            lastState: ContainerState,
          }),
        ),
      ),
    }),
  ),
});
export type Pod = Of<typeof Pod>;

export const Service = kind(core('Service', 'services'), {
  spec: optional(z.object({ type: optional(z.string()), loadBalancerIP: optional(z.string()) })),
  status: optional(
    z.object({
      loadBalancer: optional(z.object({ ingress: optional(z.array(z.object({ ip: optional(z.string()) }))) })),
    }),
  ),
});
export type Service = Of<typeof Service>;

export const ConfigMap = kind(core('ConfigMap', 'configmaps'), { data: optional(z.record(z.string(), z.string())) });

export const Deployment = kind(
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
  {
    spec: optional(
      z.object({
        replicas: optional(z.number()),
        template: optional(
          z.object({
            spec: optional(
              z.object({
                affinity: optional(Affinity),
                containers: optional(Containers),
              }),
            ),
          }),
        ),
      }),
    ),
    status: optional(
      z.object({
        observedGeneration: optional(z.number()),
        replicas: optional(z.number()),
        updatedReplicas: optional(z.number()),
        readyReplicas: optional(z.number()),
        availableReplicas: optional(z.number()),
        conditions,
      }),
    ),
  },
);
export type Deployment = Of<typeof Deployment>;

export const Job = kind(
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true },
  {
    status: optional(
      z.object({
        active: optional(z.number()),
        succeeded: optional(z.number()),
        failed: optional(z.number()),
        startTime: optional(z.string()),
        completionTime: optional(z.string()),
        conditions,
      }),
    ),
  },
);
export type Job = Of<typeof Job>;

export const PodDisruptionBudget = kind(
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true },
  {
    spec: optional(z.object({ selector: optional(LabelSelector), unhealthyPodEvictionPolicy: optional(z.string()) })),
    status: optional(
      z.object({
        observedGeneration: optional(z.number()),
        expectedPods: optional(z.number()),
        currentHealthy: optional(z.number()),
        desiredHealthy: optional(z.number()),
        disruptionsAllowed: optional(z.number()),
        conditions,
      }),
    ),
  },
);
export type PodDisruptionBudget = Of<typeof PodDisruptionBudget>;

export const Lease = kind(
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true },
  {
    spec: optional(z.object({ holderIdentity: optional(z.string()), renewTime: optional(z.string()) })),
  },
);
export type Lease = Of<typeof Lease>;

export const CustomResourceDefinition = kind(
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  },
  {},
);

/** Whether a DaemonSet's controller owns the object. */
export const isDaemonSetPod = (object: Seen) => object.metadata.ownerReferences.some((o) => o.kind === 'DaemonSet');
