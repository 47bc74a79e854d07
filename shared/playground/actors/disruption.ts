import type { Json, JsonObject } from '../../handler.ts';
import { selects } from '../api/selectors.ts';
import { stamp } from '../api/writes.ts';
import { at, numberAt, objectAt, textAt } from '../json.ts';
import {
  type Controller,
  type Floor,
  generation,
  isGoing,
  labels,
  name,
  namespace,
  pathOf,
  report,
  uid,
} from './controller.ts';
import { controllerUid, isActive, isReady, withCondition } from './pod-facts.ts';

/** Says how many pods each budget lets go. */
export const disruption: Controller = {
  name: 'disruption',
  plays: 'kube-controller-manager: kubernetes pkg/controller/disruption/disruption.go',
  reads: ['policy/poddisruptionbudgets', '/pods', 'apps/replicasets', 'apps/deployments', 'apps/statefulsets'],
  async act(floor) {
    for (const budget of floor.list('policy/poddisruptionbudgets')) if (!isGoing(budget)) await sync(floor, budget);
  },
};

async function sync(floor: Floor, budget: JsonObject): Promise<void> {
  const pods = floor
    .list('/pods')
    .filter(
      (pod) =>
        namespace(pod) === namespace(budget) &&
        isActiveOrGoing(pod) &&
        selects(at(budget, 'spec', 'selector'), labels(pod)),
    );
  const { expected, desired } = counts(floor, budget, pods);
  const now = floor.now();
  const disrupted = recent(objectAt(budget, 'status', 'disruptedPods'), pods, now);
  const healthy = pods.filter((pod) => isReady(pod) && disrupted[name(pod)] === undefined).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const enough = allowed > 0;
  const wanted = {
    type: 'DisruptionAllowed',
    status: enough ? 'True' : 'False',
    reason: enough ? 'SufficientPods' : 'InsufficientPods',
    observedGeneration: generation(budget),
    message: '',
  };
  await report(floor, pathOf('policy/v1', 'poddisruptionbudgets', budget), budget, {
    observedGeneration: generation(budget),
    expectedPods: expected,
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    ...(Object.keys(objectAt(budget, 'status', 'disruptedPods')).length > 0 && {
      disruptedPods: cleared(budget, disrupted),
    }),
    conditions: withCondition(budget, wanted, stamp(now)),
  });
}

const isActiveOrGoing = (pod: JsonObject) => isActive(pod) || isGoing(pod);

/** A share counts by what the pods' controllers ask for, a number of at-least by the pods that are there. */
function counts(floor: Floor, budget: JsonObject, pods: readonly JsonObject[]): { expected: number; desired: number } {
  const [least, most] = [at(budget, 'spec', 'minAvailable'), at(budget, 'spec', 'maxUnavailable')];
  if (typeof least === 'number') return { expected: pods.length, desired: least };
  const expected = scaleOf(floor, pods);
  const share = (value: Json | undefined) =>
    typeof value === 'number' ? value : Math.ceil((Number.parseFloat(String(value)) / 100) * expected);
  if (least !== undefined) return { expected, desired: share(least) };
  return { expected, desired: Math.max(0, expected - share(most ?? 0)) };
}

function scaleOf(floor: Floor, pods: readonly JsonObject[]): number {
  const owners = new Map<string, number>();
  for (const id of pods.map(controllerUid)) {
    const set = ['apps/replicasets', 'apps/statefulsets']
      .flatMap((key) => floor.list(key))
      .find((each) => uid(each) === id);
    const owner = set && (floor.list('apps/deployments').find((each) => uid(each) === controllerUid(set)) ?? set);
    if (owner) owners.set(uid(owner), numberAt(owner, 'spec', 'replicas') ?? 1);
  }
  return [...owners.values()].reduce((all, replicas) => all + replicas, 0);
}

/** Evicted pods that are still there and not yet going, for two minutes at most. */
function recent(disrupted: JsonObject, pods: readonly JsonObject[], now: Date): JsonObject {
  const kept = Object.entries(disrupted).filter(([pod, since]) => {
    const there = pods.find((each) => name(each) === pod);
    return there && !isGoing(there) && now.getTime() - Date.parse(String(since)) < 120_000;
  });
  return Object.fromEntries(kept);
}

/** As a merge patch wants it: what is over is null. */
function cleared(budget: JsonObject, kept: JsonObject): JsonObject {
  const before = Object.keys(objectAt(budget, 'status', 'disruptedPods'));
  return Object.fromEntries(before.map((pod) => [pod, textAt(kept, pod) ?? null]));
}
