import type { ScheduledPod } from './node-agent.ts';

/** A node to pretend. */
export interface FakeNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** What its kubelet says of itself: `kubeletVersion`, `osImage`, … */
  readonly nodeInfo?: object;
}

const capacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '500Gi', pods: '250' };

/** A Node as its kubelet would create it. */
export function nodeObject({ name, labels = {}, annotations = {} }: FakeNode): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
  };
}

/** A healthy Node whose agent listens on loopback: the API server asks there for logs. */
export function nodeStatus({ nodeInfo }: Pick<FakeNode, 'nodeInfo'>, agentPort: number, now: Date): unknown {
  return {
    status: {
      ...(nodeInfo && { nodeInfo }),
      capacity,
      allocatable: capacity,
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
      conditions: [
        condition('MemoryPressure', 'False', now, 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', now, 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', now, 'KubeletHasSufficientPID'),
        condition('Ready', 'True', now, 'KubeletReady'),
      ],
    },
  };
}

/** The Lease that a kubelet renews every 10 s. */
export function heartbeat(name: string, now: Date): unknown {
  const renewTime = now.toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec,
  };
}

/** The status of a pod all of whose containers run and are ready. */
export function runningStatus({ spec }: ScheduledPod, now: Date): unknown {
  const startedAt = now.toISOString();
  return {
    phase: 'Running',
    hostIP: '127.0.0.1',
    startTime: startedAt,
    conditions: ['Initialized', 'ContainersReady', 'Ready'].map((type) => condition(type, 'True', now)),
    containerStatuses: spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image, ready: true, started: true, restartCount: 0 },
      state: { running: { startedAt } },
    })),
  };
}

/** The status of a pod whose containers have all ended, as `Succeeded` or `Failed`. */
export function endedStatus({ spec }: ScheduledPod, phase: string, now: Date): unknown {
  const at = now.toISOString();
  const failed = phase === 'Failed';
  const terminated = {
    exitCode: failed ? 1 : 0,
    reason: failed ? 'Error' : 'Completed',
    startedAt: at,
    finishedAt: at,
  };
  return {
    phase,
    conditions: ['ContainersReady', 'Ready'].map((type) => condition(type, 'False', now, 'PodCompleted')),
    containerStatuses: spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image, ready: false, started: false, restartCount: 0 },
      state: { running: null, terminated },
    })),
  };
}

function condition(type: string, status: string, now: Date, reason = ''): unknown {
  const at = now.toISOString();
  return { type, status, reason, lastTransitionTime: at, ...(reason ? { lastHeartbeatTime: at } : {}) };
}
