import type { Json, JsonObject } from '../../handler.ts';
import { stamp } from '../api/writes.ts';
import { at, listAt, numberAt, textAt } from '../json.ts';
import { type Controller, type Floor, isGoing, name, pathOf, report, uid } from './controller.ts';
import { isTrue, nodeOf, phase, withCondition } from './pod-facts.ts';

/**
 * The nodes' agents: scheduled pods run and become ready, deleted ones go. A node that is not Ready has no agent that
 * speaks. What somebody else says of a running pod's containers stands: a drill that makes one crash is believed.
 */
export const kubelet: Controller = {
  name: 'kubelet',
  plays: 'kubelet: kubernetes pkg/kubelet, down to phase, conditions and container statuses',
  reads: ['/pods', '/nodes'],
  async act(floor) {
    const speaking = new Set(
      floor
        .list('/nodes')
        .filter((node) => isTrue(node, 'Ready'))
        .map(name),
    );
    for (const pod of floor.list('/pods')) if (speaking.has(nodeOf(pod) ?? '')) await tend(floor, pod);
  },
};

async function tend(floor: Floor, pod: JsonObject): Promise<void> {
  const path = pathOf('v1', 'pods', pod);
  if (isGoing(pod)) {
    // A finalizer holds the object: ending it once more changes nothing.
    if (numberAt(pod, 'metadata', 'deletionGracePeriodSeconds') === 0) return;
    await floor.send('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid: uid(pod) } });
  } else if (phase(pod) === 'Pending' && !isHeldUp(pod)) await report(floor, path, pod, running(floor, pod));
  else if (phase(pod) === 'Running' && !isTrue(pod, 'Ready') && areContainersReady(pod)) {
    await report(floor, path, pod, {
      conditions: withCondition(pod, { type: 'Ready', status: 'True' }, stamp(floor.now())),
    });
  }
}

/** A container waits for something that was said of it, such as an image that cannot be pulled. */
const isHeldUp = (pod: JsonObject) =>
  listAt(pod, 'status', 'containerStatuses').some((each) => textAt(each, 'state', 'waiting', 'reason') !== undefined);

const areContainersReady = (pod: JsonObject) => {
  const all = listAt(pod, 'status', 'containerStatuses');
  return all.length > 0 && all.every((each) => at(each, 'ready') === true);
};

function running(floor: Floor, pod: JsonObject): JsonObject {
  const now = stamp(floor.now());
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    startTime: now,
    hostIP: addressOf(floor, nodeOf(pod) ?? ''),
    podIP: `10.52.${uid(pod).charCodeAt(0)}.${uid(pod).charCodeAt(1)}`,
    conditions: types.map((type): Json => ({ type, status: 'True', lastTransitionTime: now })),
    containerStatuses: listAt(pod, 'spec', 'containers').map((container): Json => {
      const image = textAt(container, 'image') ?? '';
      const containerName = textAt(container, 'name') ?? '';
      const state = { running: { startedAt: now } };
      return {
        name: containerName,
        image,
        imageID: image,
        ready: true,
        started: true,
        restartCount: 0,
        state,
        lastState: {},
      };
    }),
  };
}

function addressOf(floor: Floor, node: string): string {
  const found = floor.list('/nodes').find((each) => name(each) === node);
  const internal = listAt(found, 'status', 'addresses').find((each) => textAt(each, 'type') === 'InternalIP');
  return textAt(internal, 'address') ?? '';
}
