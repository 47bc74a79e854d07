import type { JsonObject } from '../../handler.ts';
import { stamp } from '../api/writes.ts';
import { listAt, textAt } from '../json.ts';
import { type Controller, type Floor, isGoing, name, pathOf, report } from './controller.ts';
import { crowding, type Rejection, rejection, unavailable } from './placement.ts';
import { isActive, nodeOf, phase, withCondition } from './pod-facts.ts';

/** Binds pods to nodes, or says in their status why no node takes them. */
export const scheduler: Controller = {
  name: 'scheduler',
  plays:
    'kube-scheduler: kubernetes pkg/scheduler, the plugins NodeUnschedulable, TaintToleration, NodeAffinity and InterPodAffinity',
  reads: ['/pods', '/nodes'],
  async act(floor) {
    const nodes = floor.list('/nodes');
    const pods = floor.list('/pods');
    const placed = pods.filter(
      (pod) => nodeOf(pod) !== undefined && phase(pod) !== 'Succeeded' && phase(pod) !== 'Failed',
    );
    for (const pod of pods) {
      if (nodeOf(pod) !== undefined || !isActive(pod) || isGoing(pod) || !isOurs(pod)) continue;
      const node = choose(pod, nodes, placed);
      if (typeof node === 'string') await refuse(floor, pod, node);
      else {
        const target = { apiVersion: 'v1', kind: 'Node', name: name(node) };
        await floor.send('POST', `${pathOf('v1', 'pods', pod)}/binding`, {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: name(pod) },
          target,
        });
        placed.push({ ...pod, spec: { ...(typeof pod.spec === 'object' ? pod.spec : {}), nodeName: name(node) } });
      }
    }
  },
};

const isOurs = (pod: JsonObject) =>
  (textAt(pod, 'spec', 'schedulerName') ?? 'default-scheduler') === 'default-scheduler' &&
  listAt(pod, 'spec', 'schedulingGates').length === 0;

/** The best node, or why there is none. */
function choose(pod: JsonObject, nodes: readonly JsonObject[], placed: readonly JsonObject[]): JsonObject | string {
  const rejections: Rejection[] = [];
  const feasible: { node: JsonObject; weight: number }[] = [];
  for (const node of nodes) {
    const no = rejection(pod, node, placed, nodes);
    if (no) rejections.push(no);
    else {
      const busy = placed.filter((other) => nodeOf(other) === name(node)).length;
      feasible.push({ node, weight: crowding(pod, node, placed) * 1000 + busy });
    }
  }
  const [best] = feasible.sort((a, b) => a.weight - b.weight);
  return best?.node ?? unavailable(rejections);
}

async function refuse(floor: Floor, pod: JsonObject, message: string): Promise<void> {
  const wanted = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  const conditions = withCondition(pod, wanted, stamp(floor.now()));
  await report(floor, pathOf('v1', 'pods', pod), pod, { conditions });
}
