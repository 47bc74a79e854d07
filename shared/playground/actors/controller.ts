import type { JsonObject } from '../../handler.ts';
import type { ApiServer } from '../api/api-server.ts';
import type { Send } from '../hands.ts';
import { numberAt, objectAt, same, textAt } from '../json.ts';

/** The pretend cluster as its own controllers see it: looks cost nothing, writes go through the API. */
export interface Floor {
  now(): Date;
  /** All objects of a resource by the store's key: `/pods`, `apps/deployments`. */
  list(key: string): readonly JsonObject[];
  send: Send;
}

/** Plays one of the controllers that every Kubernetes cluster has. Level-triggered, like an `Actor` of a drill. */
export interface Controller {
  readonly name: string;
  readonly plays: string;
  /** What it looks at: while none of it changed, there is nothing to do. */
  readonly reads: readonly string[];
  /** It also acts because time passes. */
  readonly timed?: boolean;
  act(floor: Floor): Promise<void>;
}

export const floorOf = (api: ApiServer, now: () => Date): Floor => ({
  now,
  list: (key) => api.store.snapshot(key).objects,
  async send(method, path, body, contentType) {
    const answer = await api.answer({ method, path, body, contentType });
    // Somebody else was faster: the next look shows what there is to do.
    const lost = [404, 409, 429].includes(answer.code);
    if (answer.code >= 400 && !lost)
      throw new Error(`${method} ${path}: ${answer.code} ${textAt(answer.body, 'message')}`);
    return answer;
  },
});

export const MERGE = 'application/merge-patch+json';

export const name = (object: JsonObject) => textAt(object, 'metadata', 'name') ?? '';
export const namespace = (object: JsonObject) => textAt(object, 'metadata', 'namespace') ?? '';
export const uid = (object: JsonObject) => textAt(object, 'metadata', 'uid') ?? '';
export const labels = (object: JsonObject) => objectAt(object, 'metadata', 'labels');
export const isGoing = (object: JsonObject) => textAt(object, 'metadata', 'deletionTimestamp') !== undefined;
export const generation = (object: JsonObject) => numberAt(object, 'metadata', 'generation') ?? 0;

/** `/api/v1/namespaces/NS/pods/NAME`; `apiVersion` and plural of the kind. */
export function pathOf(apiVersion: string, plural: string, object: JsonObject): string {
  const root = apiVersion.includes('/') ? 'apis' : 'api';
  return `/${root}/${apiVersion}/namespaces/${namespace(object)}/${plural}/${name(object)}`;
}

/** Writes the status where it says something new. */
export async function report(floor: Floor, path: string, object: JsonObject, status: JsonObject): Promise<void> {
  const before = objectAt(object, 'status');
  if (Object.entries(status).every(([field, value]) => same(before[field], value))) return;
  await floor.send('PATCH', `${path}/status`, { status }, MERGE);
}
