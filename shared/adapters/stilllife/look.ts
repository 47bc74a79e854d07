import {
  groupOf,
  type Json,
  type JsonObject,
  type Kind,
  type LogOptions,
  type Look,
  nameOf,
  type ObjectRef,
  type ProbeResult,
  type Seen,
  type Versions,
  type Where,
} from '../../handler.ts';
import { readAs } from '../../trust.ts';
import { versionsOf } from '../../versions.ts';

/** What a still life is made of. Logs are keyed `namespace/pod/container`, and `… previous` for the last run's. */
export interface Still {
  readonly at: Date;
  readonly objects: readonly JsonObject[];
  readonly logs?: Readonly<Record<string, readonly string[]>>;
  /** Kinds known to be captured although no object of them is there, as `group/Kind` (`/Pod` for the core group). */
  readonly empty?: readonly string[];
  readonly versions?: Versions;
  readonly probes?: Readonly<Partial<Record<'vip' | 'readyz', ProbeResult>>>;
  readonly lastGood?: readonly { readonly ref: ObjectRef; readonly at: Date; readonly value: Json }[];
}

/** An object that its kind's schema could not read: the reader left it out. */
export interface Unreadable {
  readonly where: string;
  readonly because: string;
}

/** What identifies a kind in a still life. */
const kindKey = (object: { apiVersion?: Json | undefined; kind?: Json | undefined }) =>
  `${groupOf(String(object.apiVersion ?? ''))}/${String(object.kind ?? '')}`;

/**
 * A `Look` over objects in memory. A kind counts as captured when one object of it is there or `empty` names it.
 * Objects that a rule's schema cannot read are left out and told to `unreadable`, once each.
 */
export function stillLife(still: Still, unreadable: (what: Unreadable) => void = () => {}): Look {
  const byKind = Map.groupBy(still.objects, kindKey);
  const empty = new Set(still.empty);
  const read = new Map<Kind, { readonly items: readonly Seen[]; readonly complete: boolean }>();

  function all<T extends Seen>(kind: Kind<T>): readonly T[] {
    const known = read.get(kind);
    if (known) return readAs(kind, known.items);
    const items: T[] = [];
    const objects = byKind.get(kindKey(kind)) ?? [];
    for (const object of objects) {
      const parsed = kind.schema.safeParse(object);
      if (parsed.success) items.push(parsed.data);
      else unreadable({ where: whereIs(object), because: firstIssue(parsed.error.issues) });
    }
    read.set(kind, { items, complete: items.length === objects.length });
    return items;
  }

  const look: Look = {
    at: still.at,
    async get(kind, { namespace, name }) {
      return all(kind).find(
        ({ metadata }) => metadata.name === name && (!kind.namespaced || metadata.namespace === namespace),
      );
    },
    async list(kind, where = {}) {
      return all(kind).filter((object) => matches(object, where));
    },
    async captured(kind) {
      all(kind);
      return read.get(kind)?.complete === true && (byKind.has(kindKey(kind)) || empty.has(kindKey(kind)));
    },
    async log({ namespace, name }, { container, previous, tail }: LogOptions) {
      return still.logs?.[`${namespace}/${name}/${container}${previous ? ' previous' : ''}`]?.slice(-tail);
    },
    async version() {
      return { ...(await versionsOf(look)), ...still.versions };
    },
    async probe(what) {
      return still.probes?.[what];
    },
    async lastGood(ref) {
      const kept = still.lastGood?.find((one) => nameOf(one.ref) === nameOf(ref));
      return kept && { at: kept.at, value: kept.value };
    },
  };
  return look;
}

/** Whether an object is one of `where`. */
function matches(object: Seen, { namespace, labels = {}, fields = {} }: Where): boolean {
  return (
    (namespace === undefined || object.metadata.namespace === namespace) &&
    Object.entries(labels).every(([key, value]) => object.metadata.labels[key] === value) &&
    Object.entries(fields).every(([path, value]) => valueAt(object, path) === value)
  );
}

const valueAt = (object: unknown, path: string) =>
  path.split('.').reduce<unknown>((value, key) => Object(value)[key], object);

function whereIs(object: JsonObject): string {
  const metadata = Object(object.metadata);
  return `${object.kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name ?? '(no name)'}`;
}

const firstIssue = (issues: readonly { path: readonly PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`)[0] ?? 'unreadable';
