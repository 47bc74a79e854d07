import type { Where } from '../../handler.ts';
import { groupOf, type JsonObject, type Kind, nameOf, type Seen } from '../../objects.ts';
import type { Warning } from '../../ports/source.ts';
import { readAs } from '../../trust.ts';
import { type Answer, because, isAbsent, jsonOf, type Send } from './answer.ts';
import { listPages } from './collection.ts';
import { type Discovery, pathOf, type Served } from './discovery.ts';
import type { Grace } from './grace.ts';
import { isSelected } from './selectors.ts';

/**
 * What one moment of a cluster shows: each object is read once, and every later look sees that. A reading that fails
 * throws while that may pass by itself (`Grace`); a failure that lasts is a gap, which `isComplete` tells.
 */
export interface Sight {
  get<T extends Seen>(kind: Kind<T>, namespace: string | undefined, name: string): Promise<T | undefined>;
  list<T extends Seen>(kind: Kind<T>, where: Where): Promise<readonly T[]>;
  /** Whether something of the kind (in that namespace) was asked for; whether all of that could be read. */
  wasAsked(kind: Kind, namespace: string | undefined): boolean;
  isComplete(kind: Kind, namespace: string | undefined): boolean;
}

export interface SightOptions {
  readonly send: Send;
  readonly discovery: Discovery;
  readonly grace: Grace;
  /** Told what was left out. */
  warn(warning: Warning): void;
}

interface Memory {
  /** By namespace and name; undefined: it was not there, or could not be read. */
  readonly objects: Map<string, Seen | undefined>;
  readonly lists: Map<string, Promise<readonly string[]>>;
  readonly gets: Map<string, Promise<void>>;
  /** The namespaces of what was asked, and of what could not be read; undefined: all of them. */
  readonly asked: Set<string | undefined>;
  readonly lacking: Set<string | undefined>;
}

const keyIn = (namespace: string | undefined, name: string) => `${namespace ?? ''}/${name}`;
const isSelective = ({ labels, fields }: Where) => labels !== undefined || fields !== undefined;

/** Opens eyes on a cluster. They see what was there when each thing was first asked for. */
export function sight({ send, discovery, grace, warn }: SightOptions): Sight {
  const memories = new Map<Kind, Memory>();

  function memoryOf(kind: Kind): Memory {
    const known = memories.get(kind);
    if (known) return known;
    const fresh = {
      objects: new Map(),
      lists: new Map(),
      gets: new Map(),
      asked: new Set<never>(),
      lacking: new Set<never>(),
    };
    memories.set(kind, fresh);
    return fresh;
  }

  function lack(kind: Kind, namespace: string | undefined, where: string, why: string) {
    memoryOf(kind).lacking.add(namespace);
    warn({ where, because: why });
  }

  /** A reading that has failed for so long that the failure is a fact. Throws before. */
  function failed(kind: Kind, namespace: string | undefined, where: string, why: string, what = where) {
    memoryOf(kind).lacking.add(namespace);
    grace.failed(what, why);
    lack(kind, namespace, where, why);
  }

  /** What was seen first stays: an object that changed between two reads would contradict itself. */
  function keep(kind: Kind, object: JsonObject): string | undefined {
    const { objects } = memoryOf(kind);
    const { name, namespace } = Object(object.metadata);
    const key = keyIn(namespace, String(name));
    if (objects.has(key)) return objects.get(key) && key;
    const parsed = kind.schema.safeParse(object);
    objects.set(key, parsed.data);
    if (parsed.success) return key;
    const [issue] = parsed.error.issues;
    const ref = { apiVersion: kind.apiVersion, kind: kind.kind, name: String(name), ...(namespace && { namespace }) };
    lack(kind, namespace, nameOf(ref), `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
    return undefined;
  }

  async function served(kind: Kind, namespace: string | undefined): Promise<Served | undefined> {
    const found = await discovery.find(kind);
    if (found.is === 'unknown') failed(kind, namespace, titleOf(kind), found.because);
    else grace.succeeded(titleOf(kind));
    return found.is === 'served' ? found.served : undefined;
  }

  async function readList(kind: Kind, where: Where): Promise<readonly string[]> {
    const place = await served(kind, where.namespace);
    if (!place) return [];
    const keys: string[] = [];
    const read = (selecting: Where, test: (object: JsonObject) => boolean) =>
      listPages(send, place, selecting, {
        page: (objects) => keys.push(...objects.filter(test).flatMap((object) => keep(kind, object) ?? [])),
        restart: () => keys.splice(0),
      });
    let listed = await read(where, () => true);
    // An API server refuses to select by a field that it does not index: then we select ourselves.
    if (listed.is === 'failed' && listed.code === 400 && where.fields) {
      const { fields: _fields, ...rest } = where;
      listed = await read(rest, (object) => isSelected(object, where));
    }
    const what = `every ${titleOf(kind)} ${JSON.stringify(where)}`;
    if (listed.is === 'listed') {
      grace.succeeded(what);
      return keys;
    }
    if (listed.is === 'absent') discovery.forget(kind);
    const why = listed.is === 'absent' ? 'it is not where it is said to be served (404)' : listed.because;
    failed(kind, where.namespace, titleOf(kind, where.namespace), why, what);
    return keys;
  }

  async function readOne(kind: Kind, namespace: string | undefined, name: string): Promise<void> {
    const place = await served(kind, namespace);
    if (!place) return;
    const answer = await send({ method: 'GET', path: pathOf(place, namespace, name) });
    const object = objectIn(answer);
    const where = `${titleOf(kind, namespace)} ${name}`;
    if (object) keep(kind, object);
    else if (!(answer.is === 'answered' && isAbsent(answer))) return failed(kind, namespace, where, because(answer));
    grace.succeeded(where);
  }

  /** A list that is read already, or being read, and that holds all of the namespace. */
  const covering = (kind: Kind, namespace: string | undefined) => {
    const { lists } = memoryOf(kind);
    return (
      lists.get(JSON.stringify({})) ?? (namespace === undefined ? undefined : lists.get(JSON.stringify({ namespace })))
    );
  };

  return {
    async get(kind, namespace, name) {
      const memory = memoryOf(kind);
      const inside = kind.namespaced ? namespace : undefined;
      const key = keyIn(inside, name);
      memory.asked.add(inside);
      await covering(kind, inside);
      if (!memory.objects.has(key) && !covering(kind, inside)) {
        const reading = memory.gets.get(key) ?? readOne(kind, inside, name);
        memory.gets.set(key, reading);
        await reading;
        if (!memory.objects.has(key)) memory.objects.set(key, undefined);
      }
      const object = memory.objects.get(key);
      return object && readAs(kind, [object])[0];
    },
    async list(kind, where) {
      const memory = memoryOf(kind);
      memory.asked.add(where.namespace);
      const id = JSON.stringify(where);
      const whole = isSelective(where) ? undefined : covering(kind, where.namespace);
      const reading = memory.lists.get(id) ?? whole ?? readList(kind, where);
      memory.lists.set(id, reading);
      const objects = (await reading).flatMap((key) => memory.objects.get(key) ?? []);
      const { namespace } = where;
      return readAs(
        kind,
        namespace === undefined ? objects : objects.filter((one) => one.metadata.namespace === namespace),
      );
    },
    wasAsked: (kind, namespace) => touches(memoryOf(kind).asked, namespace),
    isComplete: (kind, namespace) => !touches(memoryOf(kind).lacking, namespace),
  };
}

const touches = (areas: ReadonlySet<string | undefined>, namespace: string | undefined) =>
  namespace === undefined ? areas.size > 0 : areas.has(namespace) || areas.has(undefined);

function objectIn(answer: Answer): JsonObject | undefined {
  if (answer.is !== 'answered' || answer.code !== 200) return undefined;
  const json = jsonOf(answer.body);
  const object = Object(json);
  return typeof object.metadata?.name === 'string' ? object : undefined;
}

/** `IPPool.loadbalancer.harvesterhci.io`, and in which namespace. */
function titleOf(kind: Kind, namespace?: string): string {
  const group = groupOf(kind.apiVersion);
  return `${kind.kind}${group && `.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
