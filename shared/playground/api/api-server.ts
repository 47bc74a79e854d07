import type { Call, Hands } from '../../drill.ts';
import type { Json, JsonObject } from '../../handler.ts';
import type { Clock } from '../../ports/clock.ts';
import { isObject } from '../json.ts';
import { remove } from './deletion.ts';
import { discovery } from './discovery.ts';
import { jsonPatched, merged, strategicallyMerged } from './patches.ts';
import { bind, evict, type Logs, log } from './pods.ts';
import { list, type Pages, removeAll } from './reads.ts';
import { type Registry, registry } from './registry.ts';
import { type Answer, type ApiRequest, type Asked, objectOf } from './request.ts';
import { badRequest, NoSuchPath, Refusal, unpatchable } from './status.ts';
import { type ObjectStore, objectStore } from './store.ts';
import { type Listener, watch } from './watch.ts';
import { create, current, type Press, replace } from './writes.ts';

/** What a pretend API server is made of. */
export interface ApiServerOptions {
  readonly clock: Clock;
  /** As `GET /version` says it: `v1.31.4+rke2r1`. */
  readonly version: string;
  readonly uid: () => string;
  readonly suffix: () => string;
  /** Subresources of aggregated APIs. */
  readonly calls: readonly Call[];
  /** The hands that the calls are given. */
  readonly hands: () => Hands;
}

/** The API server without its sockets. */
export interface ApiServer {
  readonly store: ObjectStore;
  readonly logs: Logs;
  readonly registry: Registry;
  /** Answers one request; a refusal is an answer too. */
  answer(request: ApiRequest): Promise<Answer>;
  /** Whether the request asks for a stream, which `watch` answers. */
  isWatch(request: ApiRequest): boolean;
  /** Follows a collection; the answer ends it. Throws a Refusal where it cannot begin. */
  watch(request: ApiRequest, listener: Listener): () => void;
}

/** Speaks the part of the Kubernetes API that Gleaner uses, over objects in memory. */
export function apiServer({ clock, version, uid, suffix, calls, hands }: ApiServerOptions): ApiServer {
  const store = objectStore();
  const known = registry(store);
  const logs: Logs = new Map();
  const pages: Pages = new Map();
  const press: Press = { store, now: () => clock.now(), uid, suffix };

  async function respond(request: ApiRequest): Promise<Answer> {
    const url = new URL(request.path, 'http://api');
    const fixed = fixedAnswer(url.pathname, version) ?? review(url.pathname, request);
    if (fixed) return fixed;
    const found = request.method === 'GET' ? discovery(known.all(), calls, url.pathname) : undefined;
    if (found) return { code: 200, body: found };
    const asked = parse(known, request, url);
    if (asked) return serve(press, logs, pages, asked);
    return (await aggregated(calls, hands, request, url.pathname)) ?? nowhere(request);
  }

  return {
    store,
    logs,
    registry: known,
    answer: (request) => respond(request).catch(asAnswer),
    isWatch: ({ method, path }) => method === 'GET' && /[?&]watch=(true|1)\b/.test(path),
    watch(request, listener) {
      const asked = parse(known, request, new URL(request.path, 'http://api'));
      if (!asked) return nowhere(request);
      return watch(store, clock, asked, listener);
    },
  };
}

/** A refusal as the answer that it is; a mistake of ours is an internal error, as a panic of the real one would be. */
export function asAnswer(error: unknown): Answer {
  if (error instanceof NoSuchPath)
    return { code: 404, body: '404 page not found\n', headers: { 'content-type': 'text/plain' } };
  if (error instanceof Refusal) return { code: error.code, body: error.status, headers: error.headers };
  const { code, status } = new Refusal(500, 'InternalError', `Internal error occurred: ${error}`);
  return { code, body: status };
}

function nowhere({ path }: ApiRequest): never {
  throw new NoSuchPath(path);
}

function fixedAnswer(path: string, gitVersion: string): Answer | undefined {
  if (['/readyz', '/livez', '/healthz'].includes(path))
    return { code: 200, body: 'ok', headers: { 'content-type': 'text/plain' } };
  if (path !== '/version') return undefined;
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { code: 200, body: { major, minor, gitVersion, platform: 'linux/amd64' } };
}

/** Who asks, and what they may: everything. */
function review(path: string, { method, body }: ApiRequest): Answer | undefined {
  if (method !== 'POST' || !isObject(body)) return undefined;
  if (path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') {
    return { code: 201, body: { ...body, status: { allowed: true, reason: 'everything is allowed here' } } };
  }
  if (path !== '/apis/authentication.k8s.io/v1/selfsubjectreviews') return undefined;
  return { code: 201, body: { ...body, status: { userInfo: { username: 'admin', groups: ['system:masters'] } } } };
}

/** Takes a path apart; undefined where it names nothing that is served. */
function parse(
  known: Registry,
  { method, body, contentType = 'application/json' }: ApiRequest,
  url: URL,
): Asked | undefined {
  const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const [root, ...rest] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', version = ''] = root === 'api' ? ['', rest[0]] : rest;
  const path = rest.slice(root === 'api' ? 1 : 2);
  const isInside = path[0] === 'namespaces' && path.length > 2 && !['status', 'finalize'].includes(path[2] ?? '');
  const [plural = '', name, sub, more] = isInside ? path.slice(2) : path;
  const resource = known.find(group, version, plural);
  if (!resource || more !== undefined || isInside !== (resource.namespaced && isInside)) return undefined;
  if (sub === 'status' && !resource.status) return undefined;
  return {
    method,
    resource,
    namespace: isInside ? path[1] : undefined,
    name,
    sub,
    query: url.searchParams,
    body,
    contentType,
  };
}

function serve(press: Press, logs: Logs, pages: Pages, asked: Asked): Answer {
  const { method, name, sub, resource } = asked;
  if (resource.namespaced && asked.namespace === undefined && (name !== undefined || method !== 'GET'))
    throw new NoSuchPath();
  if (name === undefined) return serveCollection(press, pages, asked);
  if (sub !== undefined && sub !== 'status') return servePod(press, logs, asked);
  switch (method) {
    case 'GET':
      return { code: 200, body: current(press, asked) };
    case 'PUT':
      return replace(press, asked, current(press, asked), objectOf(asked));
    case 'PATCH': {
      const before = current(press, asked);
      return replace(press, asked, before, patched(asked, before));
    }
    case 'DELETE':
      return remove(press, asked);
    default:
      throw notAllowed(method);
  }
}

function serveCollection(press: Press, pages: Pages, asked: Asked): Answer {
  switch (asked.method) {
    case 'GET':
      return list(press.store, pages, asked);
    case 'POST':
      return create(press, asked);
    case 'DELETE':
      return removeAll(press, asked);
    default:
      throw notAllowed(asked.method);
  }
}

function servePod(press: Press, logs: Logs, asked: Asked): Answer {
  const { method, sub, resource } = asked;
  if (resource.group !== '' || resource.plural !== 'pods') throw new NoSuchPath();
  if (method === 'GET' && sub === 'log') return log(press, logs, asked);
  if (method === 'POST' && sub === 'eviction') return evict(press, asked);
  if (method === 'POST' && sub === 'binding') return bind(press, asked);
  throw new NoSuchPath();
}

function patched({ contentType, body, resource }: Asked, before: JsonObject): JsonObject {
  const [type] = contentType.split(';');
  const result = ((): Json => {
    if (body === undefined) throw badRequest('the patch is empty');
    if (type === 'application/json-patch+json') return jsonPatched(before, body);
    if (type === 'application/merge-patch+json') return merged(before, body);
    if (type === 'application/strategic-merge-patch+json' && !resource.schema) return strategicallyMerged(before, body);
    const accepted = 'application/json-patch+json, application/merge-patch+json';
    const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
    throw new Refusal(415, 'UnsupportedMediaType', message);
  })();
  if (!isObject(result)) throw unpatchable();
  return result;
}

const notAllowed = (method: string) =>
  new Refusal(405, 'MethodNotAllowed', `the server does not allow this method on the requested resource (${method})`);

/** `PUT /apis/GROUP/v1/namespaces/NS/PLURAL/NAME/SUB`, passed on to who plays the aggregated API. */
async function aggregated(
  calls: readonly Call[],
  hands: () => Hands,
  { method, body }: ApiRequest,
  path: string,
): Promise<Answer | undefined> {
  const [, group, namespace = '', plural, name = '', sub] =
    /^\/apis\/([^/]+)\/v1\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const call = calls.find((each) => each.group === group && each.resource === `${plural}/${sub}`);
  if (!call) return undefined;
  if (method !== 'PUT') throw notAllowed(method);
  const said = await call.answer(hands(), { namespace, name }, isObject(body) ? body : {});
  return { code: said.code, body: said.body };
}
