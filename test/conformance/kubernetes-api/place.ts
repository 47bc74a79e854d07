import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Json, JsonObject } from '../../../shared/handler.ts';
import { isObject, objectAt, textAt } from '../../../shared/playground/json.ts';
import { until } from '../../cluster/bed/until.ts';

/** What an API server said. Text that is no JSON arrives as a string. */
interface Said {
  readonly code: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
}

/** An API server with admin rights, at least one Ready node, and its controllers at work. */
export interface ApiPlace {
  send(method: string, path: string, body?: Json, contentType?: string): Promise<Said>;
  /** Opens a stream that stays open; its headers have come with code 200. */
  open(path: string): Promise<Readable>;
  /** What a container has logged. */
  say(
    pod: { namespace: string; name: string },
    container: string,
    lines: readonly string[],
    previous?: boolean,
  ): Promise<void>;
  /** Forgets the history of changes, where that can be asked for. */
  compact?(): void;
  stop(): Promise<void>;
}

export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const SPACE = 'conformance';

export const configMaps = `/api/v1/namespaces/${SPACE}/configmaps`;
export const pods = `/api/v1/namespaces/${SPACE}/pods`;
/** A kind whose status is a subresource. */
export const gadgets = '/apis/gleaner.test/v1/gadgets';
/** A kind without one. */
export const widgets = '/apis/gleaner.test/v1/widgets';
export const widgetsV2 = '/apis/gleaner.test/v2/widgets';

export const metadata = (body: Json) => ({
  name: textAt(body, 'metadata', 'name') ?? '',
  uid: textAt(body, 'metadata', 'uid') ?? '',
  resourceVersion: textAt(body, 'metadata', 'resourceVersion') ?? '',
});

export const configMap = (name: string, data: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

export const custom = (
  kind: 'Widget' | 'Gadget',
  name: string,
  rest: JsonObject = {},
  meta: JsonObject = {},
): JsonObject => ({
  apiVersion: 'gleaner.test/v1',
  kind,
  metadata: { name, ...meta },
  spec: { size: 1 },
  ...rest,
});

/** Creates an object and gives back what was stored. */
export async function created(place: ApiPlace, path: string, object: JsonObject): Promise<Json> {
  const { code, body } = await place.send('POST', path, object);
  if (code !== 201) throw new Error(`POST ${path}: ${code} ${JSON.stringify(body)}`);
  return body;
}

/** Sets up the namespace and the two kinds that the tests use. */
export async function prepare(place: ApiPlace): Promise<void> {
  await created(place, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SPACE } });
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await created(place, definitions, definitionOf('Widget', ['v1', 'v2'], false));
  await created(place, definitions, definitionOf('Gadget', ['v1'], true));
  for (const path of [gadgets, widgets, widgetsV2]) {
    await until(`${path} is served`, async () => (await place.send('GET', path)).code === 200 || undefined);
  }
}

function definitionOf(kind: string, versions: readonly string[], status: boolean): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: { size: { type: 'integer' }, colour: { ...text, default: 'grey' } },
      },
      status: {
        type: 'object',
        required: ['total'],
        properties: { total: { type: 'integer' }, taken: { type: 'object', additionalProperties: text } },
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.gleaner.test` },
    spec: {
      group: 'gleaner.test',
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        ...(status && { subresources: { status: {} } }),
        schema: { openAPIV3Schema: schema },
      })),
    },
  };
}

/** A watch that collects what it is told. */
export interface Watching {
  readonly events: readonly { readonly type: string; readonly name: string; readonly object: JsonObject }[];
  /** Resolves once the server has closed the stream. */
  readonly ended: Promise<void>;
  /** Waits until so many events of the type have come. */
  came(type: string, count?: number): Promise<readonly { readonly name: string; readonly object: JsonObject }[]>;
  close(): void;
}

/** Opens a watch at `path`, which holds the rest of the query. */
export async function watching(place: ApiPlace, path: string): Promise<Watching> {
  const stream = await place.open(`${path}${path.includes('?') ? '&' : '?'}watch=1`);
  const events: { type: string; name: string; object: JsonObject }[] = [];
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const said: Json = JSON.parse(line);
    const object = objectAt(said, 'object');
    events.push({ type: textAt(said, 'type') ?? '', name: textAt(object, 'metadata', 'name') ?? '', object });
  });
  // A stream that its reader closed ends with an error, which is no news.
  stream.on('error', () => {});
  lines.on('error', () => {});
  return {
    events,
    ended: new Promise((resolve) => lines.once('close', resolve)),
    came: (type, count = 1) =>
      until(`${count} events ${type} come (there are ${events.length})`, () => {
        const found = events.filter((each) => each.type === type);
        return found.length >= count ? found : undefined;
      }),
    close: () => void stream.destroy(),
  };
}

/** Reads an answer's text as JSON where it is JSON. */
export function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}
