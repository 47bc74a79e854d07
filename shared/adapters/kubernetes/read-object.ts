import * as z from 'zod';
import { isObject, type JsonObject, nameOf, type ObjectRef } from '../../objects.ts';
import type { Guard, Read } from '../../ports/cluster.ts';
import { type Answer, because, isAbsent, jsonOf, type Send } from './answer.ts';
import { type Discovery, pathOf, type Served } from './discovery.ts';

const Guarded = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });

/** An object with what guards the next write of it; undefined for anything else. */
export function guardedIn(body: unknown): { object: JsonObject; guard: Guard } | undefined {
  const object = isObject(Object(body)) ? Object(body) : undefined;
  const guard = Guarded.safeParse(object).data?.metadata;
  return object && guard && { object, guard };
}

/** Where an object is served, or why that cannot be said. */
export type Place =
  | { readonly is: 'placed'; readonly served: Served; readonly path: string }
  | Extract<Read, { is: 'absent' | 'unreadable' }>;

/** Finds the path of an object by its group and kind. */
export async function placeOf(discovery: Discovery, ref: ObjectRef): Promise<Place> {
  const found = await discovery.find(ref);
  switch (found.is) {
    case 'unknown':
      return { is: 'unreadable', because: `${ref.kind}: ${found.because}` };
    case 'not-served':
      return { is: 'absent' };
    case 'served': {
      const { served } = found;
      if (served.namespaced && ref.namespace === undefined) {
        return { is: 'unreadable', because: `${nameOf(ref)} is named without its namespace` };
      }
      return { is: 'placed', served, path: pathOf(served, ref.namespace, ref.name) };
    }
  }
}

/** Reads an object whole. Only the API server's own "NotFound" is absence. */
export async function readObject(send: Send, discovery: Discovery, ref: ObjectRef): Promise<Read> {
  const place = await placeOf(discovery, ref);
  return place.is === 'placed' ? readIn(await send({ method: 'GET', path: place.path }), ref) : place;
}

function readIn(answer: Answer, ref: ObjectRef): Read {
  if (answer.is === 'answered' && isAbsent(answer)) return { is: 'absent' };
  const found = answer.is === 'answered' && answer.code === 200 ? guardedIn(jsonOf(answer.body)) : undefined;
  return found ? { is: 'there', ...found } : { is: 'unreadable', because: `${nameOf(ref)}: ${because(answer)}` };
}
