import { groupOf, isObject, type Json, type JsonObject } from '../../objects.ts';
import type { Patch } from '../../plan.ts';
import type { Guard, Touch } from '../../ports/cluster.ts';
import type { Request } from './answer.ts';
import type { Discovery, Served } from './discovery.ts';

/** The manager in `metadata.managedFields` of everything that Gleaner writes. */
const MANAGER = 'fieldManager=gleaner&fieldValidation=Strict';

/** The guarded write of one object: the only place where a write is made of a touch. */
export function patchRequest(path: string, patch: Patch, guard: Guard, dryRun: boolean): Request {
  const query = `${MANAGER}${dryRun ? '&dryRun=All' : ''}`;
  const common = { method: 'PATCH', path: `${path}?${query}` } as const;
  switch (patch.type) {
    case 'merge':
      return { ...common, contentType: 'application/merge-patch+json', body: guardedMerge(patch.body, guard) };
    case 'json':
      return { ...common, contentType: 'application/json-patch+json', body: guardedOperations(patch, guard) };
  }
}

/** A resourceVersion in a merge patch is an optimistic lock: 409 where the object has another by now. */
function guardedMerge(body: Readonly<Record<string, Json>>, { uid, resourceVersion }: Guard): JsonObject {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  return { ...body, metadata: { ...metadata, uid, resourceVersion } };
}

function guardedOperations({ operations }: Extract<Patch, { type: 'json' }>, guard: Guard): Json {
  const tests = [
    { op: 'test', path: '/metadata/uid', value: guard.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: guard.resourceVersion },
  ];
  return [...tests, ...operations];
}

/**
 * `dryRun` stands in the body: the API server reads a delete's options from the body or else from the query, never
 * both, and so deletes really when a body comes with `?dryRun=All` (apiserver pkg/endpoints/handlers/delete.go).
 */
export function deleteRequest(path: string, { uid, resourceVersion }: Guard, dryRun: boolean): Request {
  return {
    method: 'DELETE',
    path,
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, resourceVersion },
      propagationPolicy: 'Background',
      ...(dryRun && { dryRun: ['All'] }),
    },
  };
}

/** Calls whose options have a `dryRun` (kubevirt.io/api core/v1: StartOptions, StopOptions, …). Any other would really act. */
const TRIABLE: ReadonlySet<string> = new Set(['start', 'stop', 'restart', 'migrate', 'pause', 'unpause']);
export const canBeTried = ({ subresource }: Extract<Touch, { do: 'call' }>) => TRIABLE.has(subresource);

/**
 * The PUT of a subresource. It is served by the aggregated API `subresources.<the target's group>`, as virt-api does for
 * `kubevirt.io`; undefined where there is no such API, and `unknown` tells why that cannot be said. A main resource or its
 * status can never be PUT this way.
 */
export async function callRequest(
  discovery: Discovery,
  { plural }: Served,
  { target, subresource, body }: Extract<Touch, { do: 'call' }>,
  dryRun: boolean,
): Promise<Request | { readonly unknown: string } | undefined> {
  const asked = await discovery.groupVersion(`subresources.${groupOf(target.apiVersion)}`);
  if (asked.is === 'unknown') return { unknown: asked.because };
  const version = asked.value;
  if (version === undefined) return undefined;
  const inside = target.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(target.namespace)}`;
  const path = `/apis/${version}${inside}/${plural}/${encodeURIComponent(target.name)}/${encodeURIComponent(subresource)}`;
  const options: JsonObject = isObject(Object(body)) ? Object(body) : {};
  return { method: 'PUT', path, body: dryRun ? { ...options, dryRun: ['All'] } : options };
}
