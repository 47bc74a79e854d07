import type { Hands } from '../drill.ts';
import { groupOf, type Json, type JsonObject, nameOf, type ObjectRef, type Where } from '../handler.ts';
import { at, isObject, listAt, textAt, withMetadata } from './json.ts';

/** Sends one request with admin rights; the answer's body is JSON, or a string where the server sent text. */
export type Send = (
  method: string,
  path: string,
  body?: Json,
  contentType?: string,
) => Promise<{ readonly code: number; readonly body: Json }>;

/** What the hands need of a cluster. */
export interface HandsOptions extends Pick<Hands, 'say' | 'vip' | 'now'> {
  readonly send: Send;
}

const MERGE = 'application/merge-patch+json';
const RETRIES = 5;

interface Served {
  readonly root: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

/** Full rights over HTTP, on any API server: the same drills break the playground and the real one. */
export function httpHands({ send, now, say, vip }: HandsOptions): Hands {
  const discover = discovery(send);

  async function pathOf(
    ref: Pick<ObjectRef, 'apiVersion' | 'kind' | 'namespace'> & { name?: string },
  ): Promise<{ path: string; served: Served } | undefined> {
    const served = await discover(ref);
    if (!served) return undefined;
    const inside = served.namespaced && ref.namespace ? `/namespaces/${ref.namespace}` : '';
    return { path: `${served.root}${inside}/${served.plural}${ref.name === undefined ? '' : `/${ref.name}`}`, served };
  }

  async function get(ref: ObjectRef): Promise<JsonObject | undefined> {
    const place = await pathOf(ref);
    if (!place) return undefined;
    const { code, body } = await send('GET', place.path);
    if (code === 404) return undefined;
    return accepted('GET', place.path, code, body);
  }

  async function place(ref: ObjectRef): Promise<{ path: string; served: Served }> {
    const found = await pathOf(ref);
    if (!found)
      throw new Error(`${ref.kind} (${ref.apiVersion}) is not served by this cluster: create its definition first`);
    return found;
  }

  return {
    now,
    say,
    vip,
    get,
    async list(kind, where = {}) {
      const found = await pathOf({ ...kind, ...(where.namespace && { namespace: where.namespace }) });
      if (!found) return [];
      const path = `${found.path}${queryOf(where)}`;
      const { code, body } = await send('GET', path);
      if (code === 404) return [];
      const items = listAt(accepted('GET', path, code, body), 'items').filter(isObject);
      // Typed lists leave both out of their items.
      return items.map((item) => ({ ...item, apiVersion: item.apiVersion ?? kind.apiVersion, kind: kind.kind }));
    },
    async create(object) {
      const ref = refTo(object);
      const { path, served } = await place(ref);
      const collection = path.slice(0, path.lastIndexOf('/'));
      const { code, body } = await send('POST', collection, object);
      if (code === 409) return;
      accepted('POST', collection, code, body);
      const status = at(object, 'status');
      if (served.hasStatus && status !== undefined) {
        const answer = await send('PATCH', `${path}/status`, { status }, MERGE);
        accepted('PATCH', `${path}/status`, answer.code, answer.body);
      }
    },
    async put(object) {
      const ref = refTo(object);
      const { path } = await place(ref);
      for (let attempt = 1; ; attempt++) {
        const now = await get(ref);
        if (!now) throw new Error(`${nameOf(ref)} is not there: only what exists can be put`);
        const resourceVersion = textAt(now, 'metadata', 'resourceVersion');
        const { code, body } = await send('PUT', path, withMetadata(object, { resourceVersion }));
        if (code === 409 && attempt < RETRIES) continue;
        accepted('PUT', path, code, body);
        return;
      }
    },
    async merge(ref, patch, subresource) {
      const { path, served } = await place(ref);
      const where = subresource && served.hasStatus ? `${path}/${subresource}` : path;
      const { code, body } = await send('PATCH', where, patch, MERGE);
      accepted('PATCH', where, code, body);
    },
    async remove(ref) {
      const found = await pathOf(ref);
      if (!found) return;
      const { code, body } = await send('DELETE', found.path);
      if (code !== 404) accepted('DELETE', found.path, code, body);
    },
  };
}

/** The object of a good answer. Throws an Error that says what was asked and what the server said. */
function accepted(method: string, path: string, code: number, body: Json): JsonObject {
  if (code < 200 || code > 299)
    throw new Error(`${method} ${path}: ${code} ${textAt(body, 'message') ?? JSON.stringify(body)}`);
  return isObject(body) ? body : {};
}

function refTo(object: JsonObject): ObjectRef {
  const namespace = textAt(object, 'metadata', 'namespace');
  return {
    apiVersion: textAt(object, 'apiVersion') ?? '',
    kind: textAt(object, 'kind') ?? '',
    name: textAt(object, 'metadata', 'name') ?? '',
    ...(namespace !== undefined && { namespace }),
  };
}

function queryOf({ labels = {}, fields = {} }: Where): string {
  const terms = (all: Readonly<Record<string, string>>) =>
    Object.entries(all)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
  const query = new URLSearchParams();
  if (Object.keys(labels).length > 0) query.set('labelSelector', terms(labels));
  if (Object.keys(fields).length > 0) query.set('fieldSelector', terms(fields));
  return query.size > 0 ? `?${query}` : '';
}

/** Finds how a kind is served; asks again where it was not known, for definitions come and go. */
function discovery(send: Send): (kind: Pick<ObjectRef, 'apiVersion' | 'kind'>) => Promise<Served | undefined> {
  const known = new Map<string, Served>();
  return async ({ apiVersion, kind }) => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key) ?? (await ask(send, apiVersion, kind)) ?? (await askPreferred(send, apiVersion, kind));
    if (found) known.set(key, found);
    return found;
  };
}

async function ask(send: Send, apiVersion: string, kind: string): Promise<Served | undefined> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { code, body } = await send('GET', root);
  if (code !== 200) return undefined;
  const resources = listAt(body, 'resources').map((each) => ({
    name: textAt(each, 'name') ?? '',
    kind: textAt(each, 'kind'),
    namespaced: at(each, 'namespaced') === true,
  }));
  const main = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  if (!main) return undefined;
  const hasStatus = resources.some(({ name }) => name === `${main.name}/status`);
  return { root, plural: main.name, namespaced: main.namespaced, hasStatus };
}

/** The kind under the version that its group prefers. */
async function askPreferred(send: Send, apiVersion: string, kind: string): Promise<Served | undefined> {
  const { code, body } = await send('GET', `/apis/${groupOf(apiVersion)}`);
  const version = code === 200 ? textAt(body, 'preferredVersion', 'version') : undefined;
  return version === undefined ? undefined : ask(send, `${groupOf(apiVersion)}/${version}`, kind);
}
