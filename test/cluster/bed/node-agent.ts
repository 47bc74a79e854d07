import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type ContainerLog, serveContainerLogs } from './container-logs.ts';
import { create } from './create.ts';
import { endedStatus, type FakeNode, heartbeat, nodeObject, nodeStatus, runningStatus } from './node-objects.ts';
import type { Bed } from './start-bed.ts';

/** The kubelets of some nodes: the only thing that a bed fakes. */
export interface NodeAgent {
  /** Answers to `pods/log`, by `namespace/pod/container`; a pod that has none logs nothing. */
  readonly logs: Map<string, ContainerLog>;
  /** The node's agent falls silent: no heartbeats, and its pods neither start nor end. */
  silence(node: string): void;
  /** It speaks again, and says that the node is Ready. */
  wake(node: string): Promise<void>;
  stop(): Promise<void>;
}

const podSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.looseObject({
    nodeName: z.string(),
    containers: z.array(z.looseObject({ name: z.string(), image: z.string() })),
  }),
  status: z.looseObject({ phase: z.string() }),
});

/** A pod, as far as a node's agent looks into it. */
export type ScheduledPod = z.infer<typeof podSchema>;

/** The annotation of a pod that is to end by itself: `Succeeded` or `Failed`. Other pods run for ever. */
export const endsAs = 'node-agent/ends-as';

const podList = z.object({ items: z.array(podSchema) });
const strategicMergePatch = { 'Content-Type': 'application/strategic-merge-patch+json' };
const roundMs = 150;
const heartbeatMs = 10_000;

/**
 * Registers the nodes as Ready, and from then on does what their kubelets would do. Ends with the bed. `now`: the nodes'
 * clock, where it is not the machine's.
 */
export async function startNodeAgent(
  bed: Bed,
  nodes: readonly FakeNode[],
  now: () => Date = () => new Date(),
): Promise<NodeAgent> {
  const logs = new Map<string, ContainerLog>();
  const server = await serveContainerLogs(bed.pki, logs);
  const speaking = new Set(nodes.map(({ name }) => name));
  const over = new AbortController();
  const postReady = (node: FakeNode) =>
    bed.request('PATCH', `/api/v1/nodes/${node.name}/status`, nodeStatus(node, server.port, now()));
  await Promise.all(nodes.map((node) => register(bed, node, now, postReady)));

  const rounds = [
    repeatedly(roundMs, over.signal, () => tendPods(bed, speaking, now)),
    repeatedly(heartbeatMs, over.signal, () => beat(bed, speaking, now)),
  ];
  const stop = async () => {
    over.abort();
    await Promise.all(rounds);
    await server.close();
  };
  bed.onStop(stop);
  return {
    logs,
    silence: (node) => void speaking.delete(node),
    wake: async (node) => {
      speaking.add(node);
      await beat(bed, new Set([node]), now);
      await postReady(nodes.find(({ name }) => name === node) ?? { name: node });
    },
    stop,
  };
}

async function register(
  bed: Bed,
  node: FakeNode,
  now: () => Date,
  postReady: (node: FakeNode) => Promise<unknown>,
): Promise<void> {
  await create(bed.request, '/api/v1/nodes', nodeObject(node));
  await create(
    bed.request,
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    heartbeat(node.name, now()),
  );
  await postReady(node);
  // Admission (TaintNodesByCondition) taints every new node as not ready; without a node-lifecycle controller nobody
  // takes that away again.
  await bed.request('PATCH', `/api/v1/nodes/${node.name}`, { spec: { taints: node.taints ?? null } });
}

async function beat(bed: Bed, speaking: ReadonlySet<string>, now: () => Date): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  await Promise.all([...speaking].map((name) => bed.request('PATCH', `${leases}/${name}`, heartbeat(name, now()))));
}

async function tendPods(bed: Bed, speaking: ReadonlySet<string>, now: () => Date): Promise<void> {
  const { body } = await bed.request('GET', '/api/v1/pods?fieldSelector=spec.nodeName!=');
  const pods = podList.parse(body).items.filter(({ spec }) => speaking.has(spec.nodeName));
  await Promise.all(pods.map((pod) => tend(bed, pod, now())));
}

async function tend(bed: Bed, pod: ScheduledPod, now: Date): Promise<void> {
  const { name, namespace, uid, deletionTimestamp, annotations } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const post = (status: unknown) =>
    bed.request('PATCH', `${path}/status`, { metadata: { uid }, status }, strategicMergePatch);
  const ending = annotations?.[endsAs];
  if (deletionTimestamp) await bed.request('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid } });
  else if (pod.status.phase === 'Pending') await post(runningStatus(pod, now));
  else if (pod.status.phase === 'Running' && ending) await post(endedStatus(pod, ending, now));
}

/** Goes on after a failure: a test that freezes or kills the API server also does that to the kubelets. */
async function repeatedly(everyMs: number, over: AbortSignal, round: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await round().catch(() => undefined);
    await pause(everyMs, undefined, { signal: over }).catch(() => undefined);
  }
}
