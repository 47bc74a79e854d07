import * as z from 'zod';
import type { JsonObject } from '../../handler.ts';
import { listAt, numberAt, textAt, withMetadata } from '../json.ts';
import { CRDS, definedKey } from './registry.ts';
import { type Answer, type Asked, isDryRun } from './request.ts';
import { keyOf, type Resource } from './resource.ts';
import { conflict } from './status.ts';
import { idOf } from './store.ts';
import { current, type Press, stamp } from './writes.ts';

const Options = z.object({
  dryRun: z.array(z.string()).nullish(),
  gracePeriodSeconds: z.number().nullish(),
  preconditions: z.object({ uid: z.string().nullish(), resourceVersion: z.string().nullish() }).nullish(),
});
type Options = z.infer<typeof Options>;

/**
 * The options of a DELETE: the body's where there is a body, the query's otherwise, never both
 * (apiserver pkg/endpoints/handlers/delete.go). So `?dryRun=All` beside a body really deletes.
 */
function optionsOf({ body, query }: Asked): Options {
  if (body !== undefined) return Options.parse(body);
  const grace = query.get('gracePeriodSeconds');
  return { dryRun: query.getAll('dryRun'), gracePeriodSeconds: grace === null ? undefined : Number(grace) };
}

/** DELETE of one object. */
export function remove(press: Press, asked: Asked): Answer {
  const { resource, name = '' } = asked;
  const object = current(press, asked);
  const options = optionsOf(asked);
  const { uid, resourceVersion } = options.preconditions ?? {};
  for (const [field, wanted, is] of [
    ['UID', uid, textAt(object, 'metadata', 'uid')],
    ['ResourceVersion', resourceVersion, textAt(object, 'metadata', 'resourceVersion')],
  ] as const) {
    if (typeof wanted === 'string' && wanted !== is) {
      throw conflict(
        resource,
        name,
        `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${is}`,
      );
    }
  }
  if (isDryRun(options.dryRun ?? [])) return { code: 200, body: object };
  return { code: 200, body: end(press, asked, object, options.gracePeriodSeconds ?? undefined) };
}

/** Ends an object at once, or marks it where somebody else must end it; gives what the API server answers. */
function end(press: Press, { resource, name = '' }: Asked, object: JsonObject, grace: number | undefined): JsonObject {
  const key = keyOf(resource);
  const waits = key === '/namespaces' || listAt(object, 'metadata', 'finalizers').length > 0;
  const seconds = key === '/pods' ? graceOf(object, grace) : 0;
  if (!waits && seconds === 0) {
    press.store.remove(key, idOf(object));
    if (key === CRDS) removeDefined(press, object);
    if (key === '/pods') return object;
    return gone(resource, name, object);
  }
  const isGoing = textAt(object, 'metadata', 'deletionTimestamp') !== undefined;
  if (isGoing && seconds >= (numberAt(object, 'metadata', 'deletionGracePeriodSeconds') ?? 0)) return object;
  const until = new Date(press.now().getTime() + seconds * 1000);
  const marked = withMetadata(object, {
    deletionTimestamp: stamp(until),
    deletionGracePeriodSeconds: seconds,
    ...(resource.generation && { generation: (numberAt(object, 'metadata', 'generation') ?? 0) + 1 }),
  });
  return press.store.write(key, key === '/namespaces' ? { ...marked, status: { phase: 'Terminating' } } : marked);
}

function gone(resource: Resource, name: string, object: JsonObject): JsonObject {
  const kind = { ...(resource.group && { group: resource.group }), kind: resource.plural };
  const details = { name, ...kind, uid: textAt(object, 'metadata', 'uid') ?? '' };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** How long a pod is given: a pod that no kubelet has, or that has ended, goes at once. */
function graceOf(pod: JsonObject, asked: number | undefined): number {
  const phase = textAt(pod, 'status', 'phase');
  if (!textAt(pod, 'spec', 'nodeName') || phase === 'Succeeded' || phase === 'Failed') return 0;
  return asked ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 30;
}

/** With a definition go all its objects. */
function removeDefined({ store }: Press, crd: JsonObject): void {
  const key = definedKey(crd);
  for (const object of store.snapshot(key).objects) store.remove(key, idOf(object));
}
