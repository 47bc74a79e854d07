import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyPatch } from 'rfc6902';
import { parse } from 'yaml';
import * as z from 'zod';
import { modes } from '../../handlers/index.ts';
import { differencesOf } from '../../shared/adapters/kubernetes/differences.ts';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine } from '../../shared/examine.ts';
import {
  type Cause,
  isObject,
  type Json,
  type JsonObject,
  JsonValue,
  nameOf,
  ObjectRef,
  type Step,
} from '../../shared/handler.ts';
import type { DryRun, DryRuns, Found } from '../../shared/model.ts';

const Objects = z.array(z.record(z.string(), JsonValue));
const Base = z.object({ objects: Objects });
const moment = z.coerce.date();
/** As much of a mode's case as says what the cluster looks like. */
const Case = z.object({
  at: moment,
  from: z.string().optional(),
  objects: Objects.default([]),
  without: z.array(z.string()).default([]),
  empty: z.array(z.string()).default([]),
  logs: z.record(z.string(), z.array(z.string())).default({}),
  versions: z.object({ kubernetes: z.string(), harvester: z.string(), rancher: z.string() }).partial().default({}),
  probes: z.record(z.enum(['vip', 'readyz']), z.object({ ok: z.boolean(), because: z.string() })).optional(),
  lastGood: z.array(z.object({ ref: ObjectRef, at: moment, value: JsonValue })).default([]),
});

const root = join(import.meta.dirname, '..', '..', 'handlers');
const yaml = (file: string): unknown => parse(readFileSync(file, 'utf8'));
const refIn = (object: JsonObject): ObjectRef => ({
  ...z.object({ apiVersion: z.string(), kind: z.string() }).parse(object),
  ...z.object({ name: z.string(), namespace: z.string().optional() }).parse(object.metadata),
});

/** RFC 7386. */
function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

function objectsOf(file: string, { from, objects, without }: z.infer<typeof Case>): JsonObject[] {
  const base = from ? Base.parse(yaml(join(dirname(file), from))).objects : [];
  const all = new Map(base.map((object) => [nameOf(refIn(object)), object]));
  for (const name of without) all.delete(name);
  for (const object of objects) {
    const name = nameOf(refIn(object));
    const merged = merge(all.get(name), object);
    if (isObject(merged)) all.set(name, merged);
  }
  return [...all.values()];
}

/** What a mode finds in one of its own cases, as it would cross the bus. */
export interface Picture {
  readonly found: Found;
  readonly dryRuns: DryRuns;
  readonly modeTitle: string;
  readonly cause: Cause | undefined;
  readonly at: Date;
}

/** Reads a case such as `a-mode/a-case`. Throws where the mode finds nothing in it. */
export async function pictureOf(name: string): Promise<Picture> {
  const file = join(root, name.replace('/', '/cases/').concat('.yaml'));
  const mode = modes.find(({ id }) => name.startsWith(`${id}/`));
  const given = Case.parse(yaml(file));
  const objects = objectsOf(file, given);
  const [fault] = mode ? (await examine(mode, stillLife({ ...given, objects }))).faults : [];
  if (!mode || !fault) throw new Error(`${name} holds no fault`);
  const found: Found = { ...fault, cluster: 'c1' };
  const dryRuns = Object.fromEntries(
    found.offer.plans.map(({ id, steps }) => [id, steps.map((step) => dryRun(step, objects))]),
  );
  return { found, dryRuns, modeTitle: mode.title, cause: mode.causes[found.cause], at: given.at };
}

/** What an API server without webhooks would say of a step. */
function dryRun(step: Step, objects: readonly JsonObject[]): DryRun {
  const object = objects.find((one) => nameOf(refIn(one)) === nameOf(step.target));
  if (step.do === 'delete') return { is: 'would-change', differences: [{ path: '', before: step.target.name }] };
  if (step.do !== 'patch' || !object) return { is: 'not-tried', because: 'it cannot be tried' };
  const after = z.record(z.string(), JsonValue).parse(structuredClone(object));
  if (step.patch.type === 'json') applyPatch(after, [...step.patch.operations]);
  const patched = step.patch.type === 'json' ? after : merge(after, step.patch.body);
  return isObject(patched)
    ? { is: 'would-change', differences: differencesOf(object, patched) }
    : { is: 'not-tried', because: 'it is no object' };
}
