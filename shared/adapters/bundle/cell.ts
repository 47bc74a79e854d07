import { isObject, type Json, type JsonObject, type Kind, nameOf, type Seen, type Where } from '../../handler.ts';
import { readAs } from '../../trust.ts';
import { repaired } from './mangled.ts';

/** The objects of one kind, read by a schema only when a rule asks for them: most of a large picture never is. */
export class Cell {
  readonly size: number;
  private readonly raw: readonly JsonObject[];
  private readonly tell: (where: string, because: string) => void;
  private readonly isMangled: boolean;
  private readonly read = new Map<Kind, (Seen | 'unreadable' | undefined)[]>();
  private places: Map<string, number[]> | undefined;

  constructor(raw: readonly JsonObject[], isMangled: boolean, tell: (where: string, because: string) => void) {
    this.raw = raw;
    this.size = raw.length;
    this.isMangled = isMangled;
    this.tell = tell;
  }

  find<T extends Seen>(kind: Kind<T>, namespace: string | undefined, name: string): T | undefined {
    const found = (this.byName().get(name) ?? [])
      .map((at) => this.object(kind, at))
      .find((object) => object && (!kind.namespaced || object.metadata.namespace === namespace));
    return found && readAs(kind, [found])[0];
  }

  list<T extends Seen>(kind: Kind<T>, isOne: (raw: JsonObject) => boolean): readonly T[] {
    const found = this.raw.flatMap((raw, at) => (isOne(raw) ? (this.object(kind, at) ?? []) : []));
    return readAs(kind, found);
  }

  /** Whether every object, of that namespace where one is given, can be read. */
  isReadable(kind: Kind, isOne: (raw: JsonObject) => boolean): boolean {
    return this.raw.every((raw, at) => !isOne(raw) || this.object(kind, at) !== undefined);
  }

  private byName(): Map<string, number[]> {
    if (this.places) return this.places;
    this.places = new Map();
    for (const [at, { metadata }] of this.raw.entries()) {
      const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
      const same = this.places.get(name);
      if (same) same.push(at);
      else this.places.set(name, [at]);
    }
    return this.places;
  }

  private object(kind: Kind, at: number): Seen | undefined {
    const read = this.read.get(kind) ?? [];
    this.read.set(kind, read);
    const known = read[at] ?? this.parse(kind, this.raw[at] ?? {});
    read[at] = known;
    return known === 'unreadable' ? undefined : known;
  }

  private parse(kind: Kind, raw: JsonObject): Seen | 'unreadable' {
    try {
      const first = kind.schema.safeParse(raw);
      if (first.success) return first.data;
      const places = first.error.issues.map(({ path }) => path);
      const second = this.isMangled ? kind.schema.safeParse(repaired(raw, places)) : first;
      if (second.success) return second.data;
      const [issue] = first.error.issues;
      this.tell(nameIn(raw), `cannot be read: ${issue?.path.join('.')}: ${issue?.message}`);
    } catch (error) {
      // A RangeError: nested deeper than the stack.
      this.tell(nameIn(raw), `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    return 'unreadable';
  }
}

/**
 * Whether an object, as it came, may be one of `where`. One whose metadata has another shape than expected may be: its
 * schema then says what is wrong with it.
 */
export function mayBe(raw: JsonObject, { namespace, labels = {}, fields = {} }: Where): boolean {
  const { metadata } = raw;
  if (!isObject(metadata)) return true;
  const of = isObject(metadata.labels) ? metadata.labels : {};
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    Object.entries(labels).every(([key, value]) => of[key] === value) &&
    Object.entries(fields).every(([path, value]) => valueAt(raw, path) === value)
  );
}

const valueAt = (object: JsonObject, path: string) =>
  path.split('.').reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), object);

function nameIn(raw: JsonObject): string {
  const metadata = isObject(raw.metadata) ? raw.metadata : {};
  return nameOf({
    apiVersion: String(raw.apiVersion),
    kind: String(raw.kind),
    name: typeof metadata.name === 'string' ? metadata.name : '(no name)',
    ...(typeof metadata.namespace === 'string' && { namespace: metadata.namespace }),
  });
}
