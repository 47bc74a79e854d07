import type { Json, JsonObject } from '../../handler.ts';
import { matchesAll, selects } from '../api/selectors.ts';
import { at, isObject, listAt, objectAt, textAt } from '../json.ts';
import { labels, name, namespace } from './controller.ts';
import { nodeOf } from './pod-facts.ts';

/** Why a node does not take a pod; `evictable`: preemption of others could help. Texts of kubernetes pkg/scheduler/framework/plugins. */
export interface Rejection {
  readonly because: string;
  readonly evictable: boolean;
}

/** The first plugin that objects decides, in the scheduler's own order. */
export function rejection(
  pod: JsonObject,
  node: JsonObject,
  placed: readonly JsonObject[],
  nodes: readonly JsonObject[],
): Rejection | undefined {
  if (at(node, 'spec', 'unschedulable') === true && !tolerates(pod, unschedulable)) {
    return { because: 'node(s) were unschedulable', evictable: false };
  }
  const taint = listAt(node, 'spec', 'taints').find(
    (each) => textAt(each, 'effect') !== 'PreferNoSchedule' && !tolerates(pod, each),
  );
  if (taint !== undefined) {
    const because = `node(s) had untolerated taint {${textAt(taint, 'key')}: ${textAt(taint, 'value') ?? ''}}`;
    return { because, evictable: false };
  }
  if (!fits(pod, node)) return { because: "node(s) didn't match Pod's node affinity/selector", evictable: false };
  return clash(pod, node, placed, nodes);
}

const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Whether a pod tolerates a taint. */
export const tolerates = (pod: JsonObject, taint: Json): boolean =>
  toleration(listAt(pod, 'spec', 'tolerations'), taint) !== undefined;

/** The toleration that covers a taint, if any (kubernetes pkg/apis/core/v1/helper, ToleratesTaint). */
export const toleration = (tolerations: readonly Json[], taint: Json): Json | undefined =>
  tolerations.find((each) => {
    const [key, effect] = [textAt(each, 'key'), textAt(each, 'effect')];
    const sameValue =
      textAt(each, 'operator') === 'Exists' || (textAt(each, 'value') ?? '') === (textAt(taint, 'value') ?? '');
    return (!key || key === textAt(taint, 'key')) && (!effect || effect === textAt(taint, 'effect')) && sameValue;
  });

/** Whether the node has what `nodeSelector` and the required node affinity ask for. */
export function fits(pod: JsonObject, node: JsonObject): boolean {
  const has = labels(node);
  if (!Object.entries(objectAt(pod, 'spec', 'nodeSelector')).every(([key, value]) => has[key] === value)) return false;
  const required = at(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (!isObject(required)) return true;
  return listAt(required, 'nodeSelectorTerms').some((term) => {
    const [expressions, fields] = [listAt(term, 'matchExpressions'), listAt(term, 'matchFields')];
    const isEmpty = expressions.length + fields.length === 0;
    return !isEmpty && matchesAll(expressions, has) && matchesAll(fields, { 'metadata.name': name(node) });
  });
}

/** Required anti-affinity, of the pod to those that are there and of these to the pod. */
function clash(
  pod: JsonObject,
  node: JsonObject,
  placed: readonly JsonObject[],
  nodes: readonly JsonObject[],
): Rejection | undefined {
  const own = terms(pod);
  for (const other of placed) {
    const there = nodes.find((each) => name(each) === nodeOf(other));
    if (!there || namespace(other) !== namespace(pod)) continue;
    if (own.some((term) => isNear(term, node, there) && selects(at(term, 'labelSelector'), labels(other)))) {
      return { because: "node(s) didn't match pod anti-affinity rules", evictable: true };
    }
    if (terms(other).some((term) => isNear(term, node, there) && selects(at(term, 'labelSelector'), labels(pod)))) {
      return { because: "node(s) didn't satisfy existing pods anti-affinity rules", evictable: true };
    }
  }
  return undefined;
}

const terms = (pod: JsonObject) =>
  listAt(pod, 'spec', 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');

function isNear(term: Json, a: JsonObject, b: JsonObject): boolean {
  const key = textAt(term, 'topologyKey') ?? '';
  const zone = labels(a)[key];
  return zone !== undefined && zone === labels(b)[key];
}

/** How many pods stand on the node that the pod would rather avoid, by its preferred anti-affinity. */
export function crowding(pod: JsonObject, node: JsonObject, placed: readonly JsonObject[]): number {
  const preferred = listAt(
    pod,
    'spec',
    'affinity',
    'podAntiAffinity',
    'preferredDuringSchedulingIgnoredDuringExecution',
  );
  const here = placed.filter((other) => nodeOf(other) === name(node) && namespace(other) === namespace(pod));
  return preferred.reduce<number>((sum, each) => {
    const selector = at(each, 'podAffinityTerm', 'labelSelector');
    return sum + here.filter((other) => selects(selector, labels(other))).length;
  }, 0);
}

/** `0/3 nodes are available: …`, as the scheduler writes it (pkg/scheduler/framework/types.go FitError, preemption.go). */
export function unavailable(rejections: readonly Rejection[]): string {
  const all = rejections.length;
  if (all === 0) return 'no nodes available to schedule pods';
  const tally = (texts: readonly string[]) =>
    [...Map.groupBy(texts, (text) => text)]
      .map(([text, { length }]) => `${length} ${text}`)
      .sort()
      .join(', ');
  const reasons = tally(rejections.map(({ because }) => because));
  const hopes = tally(
    rejections.map(({ evictable }) =>
      evictable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
    ),
  );
  return `0/${all} nodes are available: ${reasons}. preemption: 0/${all} nodes are available: ${hopes}.`;
}
