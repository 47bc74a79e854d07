import { applyPatch, type Operation } from 'rfc6902';
import * as z from 'zod';
import type { Json, JsonObject } from '../../handler.ts';
import { JsonValue } from '../../handler.ts';
import { at, isList, isObject, same } from '../json.ts';
import { badRequest, Refusal, unpatchable } from './status.ts';

/** A JSON merge patch (RFC 7386). */
export function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = { ...(isObject(target) ? target : {}) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = merged(result[field], value);
  }
  return result;
}

/** By what the elements of a list are told apart; other lists are replaced as a whole (kubernetes api, `patchMergeKey`). */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ownerReferences: 'uid',
  addresses: 'type',
  imagePullSecrets: 'name',
};

/** A strategic merge patch as far as the playground needs it: merge keys, `$patch: delete|replace`, finalizers. */
export function strategicallyMerged(target: Json | undefined, patch: Json, field = ''): Json {
  if (isList(patch)) return mergedList(isList(target) ? target : [], patch, field);
  if (!isObject(patch)) return patch;
  const { $patch: directive, ...changes } = patch;
  if (directive === 'replace') return changes;
  const result: Record<string, Json> = { ...(isObject(target) ? target : {}) };
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith('$')) continue;
    if (value === null) delete result[name];
    else result[name] = strategicallyMerged(result[name], value, name);
  }
  return result;
}

function mergedList(target: readonly Json[], patch: readonly Json[], field: string): Json {
  if (field === 'finalizers') return [...new Set([...target, ...patch])];
  const key = MERGE_KEYS[field];
  if (key === undefined) return patch;
  const result = [...target];
  for (const element of patch) {
    const index = result.findIndex((each) => same(at(each, key), at(element, key)));
    if (at(element, '$patch') === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = strategicallyMerged(result[index], element);
    else result.push(element);
  }
  return result;
}

const OperationSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('replace'), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('test'), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('remove'), path: z.string() }),
  z.object({ op: z.literal('move'), path: z.string(), from: z.string() }),
  z.object({ op: z.literal('copy'), path: z.string(), from: z.string() }),
]);

/** A JSON patch (RFC 6902), all of it or nothing. Throws a Refusal: 422 without causes where an operation fails. */
export function jsonPatched(target: JsonObject, patch: Json): JsonObject {
  const operations = z.array(OperationSchema).safeParse(patch);
  if (!operations.success) throw badRequest('error decoding patch: the body is no list of operations');
  if (operations.data.length > 10_000)
    throw new Refusal(413, 'RequestEntityTooLarge', 'The allowed maximum operations in a JSON patch is 10000');
  // rfc6902 changes its target in place and stops half way through.
  const copy: unknown = structuredClone(target);
  for (const operation of operations.data) {
    if (isAbsentTest(copy, operation)) continue;
    const failed = applyPatch(copy, [operation]).some((error) => error !== null);
    if (failed) throw unpatchable();
  }
  const result = JsonValue.parse(copy);
  if (!isObject(result)) throw unpatchable();
  return result;
}

/** evanphx/json-patch lets `test` with null pass where nothing stands. */
function isAbsentTest(target: unknown, operation: Operation): boolean {
  if (operation.op !== 'test' || operation.value !== null) return false;
  const path = operation.path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = path.reduce<unknown>((value, key) => (value === undefined ? undefined : Object(value)[key]), target);
  return found === undefined;
}
