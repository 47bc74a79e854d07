import type { JsonObject } from '../../handler.ts';
import { listAt, objectAt, textAt } from '../json.ts';
import { type Controller, type Floor, generation, isGoing, labels, name, pathOf, report, uid } from './controller.ts';
import { templateHash } from './deployments.ts';
import { fits, tolerates } from './placement.ts';
import { controllerUid, isActive, isReady, nodeOf } from './pod-facts.ts';
import { createPod } from './replica-sets.ts';

const HASH = 'controller-revision-hash';

/** What a daemon's pods tolerate beside their template (kubernetes pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations). */
const ALWAYS = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
  ['network-unavailable', 'NoSchedule'],
].map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: effect ?? '' }));

/** Keeps one pod of each DaemonSet on every node that fits. */
export const daemonSets: Controller = {
  name: 'daemon sets',
  plays: 'kube-controller-manager: kubernetes pkg/controller/daemon',
  reads: ['apps/daemonsets', '/pods', '/nodes'],
  async act(floor) {
    const pods = Map.groupBy(floor.list('/pods'), controllerUid);
    for (const set of floor.list('apps/daemonsets'))
      if (!isGoing(set)) await sync(floor, set, pods.get(uid(set)) ?? []);
  },
};

/** The node that a daemon's pod is for: known before it is scheduled. */
const meantFor = (pod: JsonObject) => {
  const [term] = listAt(
    pod,
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  const [field] = listAt(term, 'matchFields');
  const [value] = listAt(field, 'values');
  return nodeOf(pod) ?? (typeof value === 'string' ? value : undefined);
};

async function sync(floor: Floor, set: JsonObject, owned: readonly JsonObject[]): Promise<void> {
  const template = objectAt(set, 'spec', 'template');
  const hash = templateHash(template);
  const tolerations = [...listAt(template, 'spec', 'tolerations'), ...ALWAYS];
  const probe = { ...template, spec: { ...objectAt(template, 'spec'), tolerations } };
  const nodes = floor.list('/nodes').filter((node) => fits(probe, node));
  const wanted = nodes.filter((node) =>
    listAt(node, 'spec', 'taints').every(
      (taint) => textAt(taint, 'effect') === 'PreferNoSchedule' || tolerates(probe, taint),
    ),
  );
  const active = owned.filter(isActive);
  for (const node of wanted) {
    // A pod that is going still holds its place: its successor comes when it is gone.
    if (!owned.some((pod) => meantFor(pod) === name(node)))
      await createPod(floor, set, 'DaemonSet', onto(template, node, tolerations), { [HASH]: hash });
  }
  for (const pod of active.filter((each) => !nodes.some((node) => name(node) === meantFor(each)))) {
    await floor.send('DELETE', pathOf('v1', 'pods', pod));
  }
  await update(floor, set, active, wanted.length, hash);
  const ready = active.filter(isReady).length;
  await report(floor, pathOf('apps/v1', 'daemonsets', set), set, {
    observedGeneration: generation(set),
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: active.length,
    updatedNumberScheduled: active.filter((pod) => labels(pod)[HASH] === hash).length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: Math.max(0, wanted.length - ready),
    numberMisscheduled: 0,
  });
}

/** One old pod at a time, and only while all others are available. */
async function update(
  floor: Floor,
  set: JsonObject,
  active: readonly JsonObject[],
  wanted: number,
  hash: string,
): Promise<void> {
  if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
  const old = active.filter((pod) => labels(pod)[HASH] !== hash);
  const next = old.find((pod) => !isReady(pod)) ?? (active.filter(isReady).length >= wanted ? old[0] : undefined);
  if (next) await floor.send('DELETE', pathOf('v1', 'pods', next));
}

function onto(template: JsonObject, node: JsonObject, tolerations: JsonObject['tolerations']): JsonObject {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name(node)] }] }];
  const affinity = objectAt(template, 'spec', 'affinity');
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { tolerations: tolerations ?? [], affinity: { ...affinity, nodeAffinity } };
}
