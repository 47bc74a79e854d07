import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import template from '../handlers/_template/handler.ts';
import { modes } from '../handlers/index.ts';
import { stillLife } from '../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../shared/examine.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  JsonValue,
  type Mode,
  nameOf,
  ObjectRef,
  type Step,
} from '../shared/handler.ts';

const Objects = z.array(z.record(z.string(), JsonValue));
const Moment = z.iso.datetime().transform((text) => new Date(text));

/** One case: a cluster as objects, and what must be said of it. `docs/failure-modes.md` explains each key. */
const Case = z.strictObject({
  title: z.string(),
  at: Moment,
  /** Another file of the folder whose `objects` come first; objects here of the same name are merged over them (RFC 7386). */
  from: z.string().optional(),
  objects: Objects.default([]),
  /** Names as `Kind namespace/name` of objects of `from` that are not there. */
  without: z.array(z.string()).default([]),
  empty: z.array(z.string()).default([]),
  logs: z.record(z.string(), z.array(z.string())).default({}),
  versions: z
    .strictObject({ kubernetes: z.string(), harvester: z.string(), rancher: z.string() })
    .partial()
    .default({}),
  probes: z.record(z.enum(['vip', 'readyz']), z.strictObject({ ok: z.boolean(), because: z.string() })).optional(),
  lastGood: z.array(z.strictObject({ ref: ObjectRef, at: Moment, value: JsonValue })).default([]),
  expect: z.strictObject({
    /** Every fault that must be found, and no other. */
    found: z
      .array(
        z.strictObject({
          subject: z.string(),
          cause: z.string(),
          confidence: z.string(),
          /** A part of the finding. */
          finding: JsonValue.optional(),
          /** A regular expression over the refusal; absent: there must be none. */
          refusal: z.string().optional(),
          /** Every step of every plan, as `plan-id: verb Kind namespace/name`; `plan-id! …` for onFailure. */
          steps: z.array(z.string()).default([]),
          /** Regular expressions that the summary, because and evidence together must match. */
          says: z.array(z.string()).default([]),
        }),
      )
      .default([]),
    /** Subjects that are refused, with a regular expression over the reason. */
    refused: z.array(z.strictObject({ subject: z.string(), because: z.string() })).default([]),
  }),
  /** Steps that no plan may hold, as regular expressions over `verb Kind namespace/name {json}`, with the reason. */
  forbidden: z.array(z.strictObject({ step: z.string(), because: z.string() })).default([]),
});

const root = join(import.meta.dirname, '..', 'handlers');
const read = (file: string) => parse(readFileSync(file, 'utf8'));
const named = (object: JsonObject) => {
  const { name, namespace } = z.object({ name: z.string(), namespace: z.string().optional() }).parse(object.metadata);
  return nameOf({
    apiVersion: String(object.apiVersion),
    kind: String(object.kind),
    name,
    ...(namespace && { namespace }),
  });
};

/** RFC 7386. */
function merge(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key] ?? null, value);
  }
  return result;
}
function objectsOf(file: string, { from, objects, without }: z.infer<typeof Case>): JsonObject[] {
  const base = from ? Objects.parse(read(join(dirname(file), from)).objects) : [];
  const all = new Map(base.map((object) => [named(object), object]));
  for (const name of without) {
    if (!all.delete(name)) throw new Error(`${file}: "without" names ${name}, which ${from} does not hold`);
  }
  for (const object of objects) {
    const name = named(object);
    const merged = merge(all.get(name) ?? {}, object);
    if (isObject(merged)) all.set(name, merged);
  }
  return [...all.values()];
}

const line = (step: Step) => `${step.do} ${nameOf(step.target)}`;
const stepsOf = (fault: Fault) =>
  fault.offer.plans.flatMap((plan) => [
    ...plan.steps.map((step) => `${plan.id}: ${line(step)}`),
    ...plan.onFailure.map((step) => `${plan.id}! ${line(step)}`),
  ]);

/** Every step that is offered, as `verb Kind namespace/name {json}`. */
const stepTexts = (fault: Fault) =>
  fault.offer.plans.flatMap((plan) =>
    [...plan.steps, ...plan.onFailure].map((step) => `${line(step)} ${JSON.stringify(step)}`),
  );

function expectFault(mode: Mode, fault: Fault, wanted: z.infer<typeof Case>['expect']['found'][number]) {
  expect(fault).toMatchObject({ cause: wanted.cause, confidence: wanted.confidence });
  expect(Object.keys(mode.causes)).toContain(fault.cause);
  if (wanted.finding !== undefined) expect(fault.finding).toMatchObject(Object(wanted.finding));
  expect(stepsOf(fault)).toEqual(wanted.steps);
  if (wanted.refusal === undefined) expect(fault.offer.refusal).toBeNull();
  else expect(fault.offer.refusal?.because ?? '').toMatch(new RegExp(wanted.refusal, 'i'));
  const said = [fault.summary, fault.because, ...fault.evidence.map((e) => `${e.field} ${e.because}`)].join('\n');
  for (const pattern of wanted.says) expect(said).toMatch(new RegExp(pattern, 'i'));
  expect(fault.evidence.length).toBeGreaterThan(0);
}

for (const mode of [...modes, template]) {
  const folder = mode.id === 'template' ? '_template' : mode.id;
  const files = globSync(join(root, folder, 'cases', '*.yaml')).filter((file) => read(file).expect !== undefined);

  describe(mode.title, () => {
    it.each(files.map((file) => [read(file).title, file]))('%s', async (_title, file) => {
      const given = Case.parse(read(file));
      const unreadable: unknown[] = [];

      const { faults, refused } = await examine(
        mode,
        stillLife({ ...given, objects: objectsOf(file, given) }, (what) => unreadable.push(what)),
      );

      expect(unreadable).toEqual([]);
      expect(faults.map((fault) => nameOf(fault.subject)).sort()).toEqual(
        given.expect.found.map((found) => found.subject).sort(),
      );
      for (const wanted of given.expect.found) {
        const fault = faults.find((one) => nameOf(one.subject) === wanted.subject);
        if (fault) expectFault(mode, fault, wanted);
      }
      for (const wanted of given.expect.refused) {
        const found = refused.find((one) => nameOf(one.subject) === wanted.subject);
        expect(found?.because, `${wanted.subject} must be refused`).toMatch(new RegExp(wanted.because, 'i'));
      }
      const offered = faults.flatMap(stepTexts);
      for (const { step, because } of given.forbidden) {
        for (const text of offered) expect(text, `forbidden: ${because}`).not.toMatch(new RegExp(step, 'i'));
      }
    });

    it('offers the same plan, step for step, for the same finding', async () => {
      for (const file of files) {
        const given = Case.parse(read(file));
        const { faults } = await examine(mode, stillLife({ ...given, objects: objectsOf(file, given) }));
        for (const fault of faults.filter((one) => !Object(one.finding).storm)) {
          expect(mode.plan(fault.finding)).toEqual(fault.offer);
        }
      }
    });

    it('names in its plans only checks that it has', async () => {
      for (const file of files) {
        const given = Case.parse(read(file));
        const { faults } = await examine(mode, stillLife({ ...given, objects: objectsOf(file, given) }));
        const plans = faults.flatMap((fault) => fault.offer.plans);
        const steps = plans.flatMap((plan) => [...plan.steps, ...plan.onFailure]);
        const named = steps.flatMap((step) =>
          Object.entries(step).filter(([key]) => ['until', 'goal', 'guard'].includes(key)),
        );
        const whens = plans.flatMap((plan) => (plan.undo.offered ? [plan.undo.when] : []));
        for (const check of [...named.map(([, name]) => String(name)), ...whens]) {
          expect(Object.keys(mode.checks)).toContain(check);
        }
      }
    });
  });
}
