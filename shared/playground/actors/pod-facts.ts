import type { Json, JsonObject } from '../../handler.ts';
import { at, listAt, textAt } from '../json.ts';
import { isGoing } from './controller.ts';

/** A condition of an object, by its type. */
export const condition = (object: JsonObject, type: string) =>
  listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === type);

export const isTrue = (object: JsonObject, type: string) => textAt(condition(object, type), 'status') === 'True';

/** The conditions of an object with one of them changed; its transition is marked where its status turned. */
export function withCondition(object: JsonObject, wanted: JsonObject, now: string): readonly Json[] {
  const type = textAt(wanted, 'type') ?? '';
  const before = condition(object, type);
  const turned = textAt(before, 'status') !== textAt(wanted, 'status');
  const since = turned ? now : (at(before, 'lastTransitionTime') ?? now);
  const others = listAt(object, 'status', 'conditions').filter((each) => textAt(each, 'type') !== type);
  return [...others, { ...wanted, lastTransitionTime: since }];
}

export const phase = (pod: JsonObject) => textAt(pod, 'status', 'phase');
export const nodeOf = (pod: JsonObject) => textAt(pod, 'spec', 'nodeName');
export const isReady = (pod: JsonObject) => isTrue(pod, 'Ready') && !isGoing(pod);

/** It counts for its controller: it has not ended and is not being deleted. */
export const isActive = (pod: JsonObject) => !isGoing(pod) && phase(pod) !== 'Succeeded' && phase(pod) !== 'Failed';

/** The controller that owns an object, by uid. */
export function controllerUid(object: JsonObject): string | undefined {
  const owner = listAt(object, 'metadata', 'ownerReferences').find((each) => at(each, 'controller') === true);
  return textAt(owner, 'uid');
}

/** What a controlled object says of its owner. */
export const ownedBy = (owner: JsonObject, apiVersion: string, kind: string): Json => ({
  apiVersion,
  kind,
  name: textAt(owner, 'metadata', 'name') ?? '',
  uid: textAt(owner, 'metadata', 'uid') ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
