import { groupOf, isObject, type Json, type JsonObject, type Kind } from '../../handler.ts';
import type { Warning } from '../../ports/source.ts';
import { later } from './moment.ts';
import { type Named, type Shape, shapeOf } from './shape.ts';

/** What identifies a kind whatever its version: `group/Kind`, `/Pod` for the core group. */
export const keyOf = (kind: Named) => `${groupOf(kind.apiVersion)}/${kind.kind}`;

/** What was gathered from the files: the objects of the kinds that somebody reads, as they came. */
export interface Harvest {
  readonly objects: ReadonlyMap<string, readonly JsonObject[]>;
  /** Kinds whose typed, empty list was there: captured, and none. */
  readonly empty: ReadonlySet<string>;
  /** Kinds of which a list said that it goes on elsewhere. */
  readonly partial: ReadonlySet<string>;
  /** Objects and lists of any kind. */
  readonly count: number;
  /** The newest `metadata.at` of a List. */
  readonly at: Date | undefined;
  readonly warnings: readonly Warning[];
}

/** How many complaints about one file are told; the others are counted. */
const COMPLAINTS = 10;

/** Gathers objects from documents; `restore` undoes what was done to each before it was written. */
export class Harvester {
  private readonly declared: ReadonlySet<string>;
  private readonly restore: (object: JsonObject) => JsonObject;
  private readonly objects = new Map<string, JsonObject[]>();
  private readonly files = new Map<string, string>();
  private readonly empty = new Set<string>();
  private readonly partial = new Set<string>();
  private readonly warnings: Warning[] = [];
  private complaints: string[] = [];
  private count = 0;
  private at: Date | undefined;

  constructor(kinds: readonly Kind[], restore: (object: JsonObject) => JsonObject = (object) => object) {
    this.declared = new Set(kinds.map(keyOf));
    this.restore = restore;
  }

  /** Gathers what one document of a file holds; `jq .items` leaves a bare array, which is as good as a List. */
  add(value: Json, file: string): void {
    this.complaints = [];
    if (Array.isArray(value)) this.takeAll(value, file);
    else this.take(value, 'what it holds', file);
    for (const because of this.complaints.slice(0, COMPLAINTS)) this.warnings.push({ where: file, because });
    const more = this.complaints.length - COMPLAINTS;
    if (more > 0) this.warnings.push({ where: file, because: `and ${more} more such places in this file` });
  }

  result(): Harvest {
    const { objects, empty, partial, count, at, warnings } = this;
    return { objects, empty, partial, count, at, warnings };
  }

  private take(value: Json, where: string, file: string): void {
    const shape = shapeOf(value);
    switch (shape.is) {
      case 'odd':
        this.complaints.push(`${where} ${shape.because}`);
        return;
      case 'list':
        this.takeList(shape, where, file);
        return;
      case 'object':
        this.count++;
        if (!this.declared.has(keyOf(shape.named))) return;
        if (shape.complaint) this.complaints.push(`${where} ${shape.complaint}`);
        this.keep(keyOf(shape.named), this.restore(shape.object), file);
    }
  }

  private takeList({ of, items, at, isPart }: Extract<Shape, { is: 'list' }>, where: string, file: string): void {
    this.count++;
    this.at = later(this.at, at);
    if (isPart) this.complaints.push(`${where} is only the first part of a longer list`);
    if (of && isPart) this.partial.add(keyOf(of));
    if (of && items.length === 0) this.empty.add(keyOf(of));
    this.takeAll(items, file);
  }

  private takeAll(items: readonly Json[], file: string): void {
    for (const [n, item] of items.entries()) this.take(item, `item ${n}`, file);
  }

  private keep(key: string, object: JsonObject, file: string): void {
    const { metadata } = object;
    if (isObject(metadata) && typeof metadata.name === 'string') {
      const id = `${key} ${metadata.namespace ?? ''}/${metadata.name}`;
      const first = this.files.get(id);
      if (first !== undefined) {
        if (first !== file) this.complaints.push(`${object.kind} ${metadata.name} is left out: it is in ${first} too`);
        return;
      }
      this.files.set(id, file);
    }
    const all = this.objects.get(key);
    if (all) all.push(object);
    else this.objects.set(key, [object]);
  }
}
