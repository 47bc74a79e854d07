import type { Json, JsonObject } from '../../handler.ts';
import { textAt, withField } from '../json.ts';
import { remove } from './deletion.ts';
import type { Answer, Asked } from './request.ts';
import { apiVersionOf, keyOf, type Resource } from './resource.ts';
import { fieldTest, labelTest, type Test } from './selectors.ts';
import { badRequest, Refusal } from './status.ts';
import type { ObjectStore, Snapshot } from './store.ts';
import { inVersion, type Press } from './writes.ts';

/** Which objects the query, the path's namespace and its name ask for. */
export function wanted({ resource, namespace, name, query }: Asked): Test {
  const labels = labelTest(query.get('labelSelector') ?? '');
  const fields = fieldTest(query.get('fieldSelector') ?? '', resource);
  return (object) =>
    (namespace === undefined || textAt(object, 'metadata', 'namespace') === namespace) &&
    (name === undefined || textAt(object, 'metadata', 'name') === name) &&
    labels(object) &&
    fields(object);
}

/** Lists that are read in pages: each page comes from the same picture. The oldest pictures are forgotten. */
export type Pages = Map<string, Snapshot>;
const PAGES = 32;

const expired = (message: string) => new Refusal(410, 'Expired', message);

/** GET of a collection. */
export function list(store: ObjectStore, pages: Pages, asked: Asked): Answer {
  const { resource, query } = asked;
  const limit = Number(query.get('limit') ?? 0);
  const { token, start, snapshot } = position(store, pages, asked);
  const matching = snapshot.objects.filter(wanted(asked));
  const page = limit > 0 ? matching.slice(start, start + limit) : matching.slice(start);
  const left = matching.length - start - page.length;
  if (left > 0) {
    pages.set(token, snapshot);
    const [oldest] = pages.keys();
    if (pages.size > PAGES && oldest !== undefined) pages.delete(oldest);
  }
  const selected = query.get('labelSelector') || query.get('fieldSelector');
  return {
    code: 200,
    body: {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: {
        resourceVersion: String(snapshot.revision),
        ...(left > 0 && {
          continue: Buffer.from(JSON.stringify({ token, start: start + page.length })).toString('base64url'),
        }),
        ...(left > 0 && !selected && { remainingItemCount: left }),
      },
      items: page.map((object) => asItem(resource, object)),
    },
  };
}

/** Items of typed lists carry neither kind nor apiVersion; those of custom resources do. */
function asItem(resource: Resource, object: JsonObject): Json {
  return resource.schema
    ? inVersion(resource, object)
    : withField(withField(object, 'kind', undefined), 'apiVersion', undefined);
}

function position(
  store: ObjectStore,
  pages: Pages,
  { resource, query }: Asked,
): { token: string; start: number; snapshot: Snapshot } {
  const key = keyOf(resource);
  const given = query.get('continue');
  if (given) {
    const [, token, start] =
      /^\{"token":"([^"]+)","start":(\d+)\}$/.exec(Buffer.from(given, 'base64url').toString()) ?? [];
    if (token === undefined) throw badRequest('continue key is not valid: illegal base64 data');
    const snapshot = pages.get(token);
    if (!snapshot)
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
      );
    return { token, start: Number(start), snapshot };
  }
  const snapshot = store.snapshot(key);
  const version = Number(query.get('resourceVersion') || 0);
  if (version > snapshot.revision) {
    const message = `Too large resource version: ${version}, current: ${snapshot.revision}`;
    throw new Refusal(
      504,
      'Timeout',
      message,
      { causes: [{ reason: 'ResourceVersionTooLarge', message }], retryAfterSeconds: 1 },
      { 'retry-after': '1' },
    );
  }
  if (query.get('resourceVersionMatch') === 'Exact' && version < store.changedAt(key)) {
    throw expired(`The resourceVersion for the provided list is too old.`);
  }
  return { token: `${key} ${snapshot.revision}`, start: 0, snapshot };
}

/** DELETE of a collection. */
export function removeAll(press: Press, asked: Asked): Answer {
  const found = press.store.snapshot(keyOf(asked.resource)).objects.filter(wanted(asked));
  for (const object of found) {
    const [namespace, name] = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')];
    remove(press, { ...asked, namespace, name });
  }
  const { resource } = asked;
  return {
    code: 200,
    body: { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata: {}, items: [...found] },
  };
}
