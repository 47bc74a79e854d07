import type * as z from 'zod';
import type { Duration } from './duration.ts';
import type { Json, JsonObject, Kind, ObjectRef, Seen } from './objects.ts';
import type { Confidence, Evidence, Offer, Verdict } from './plan.ts';

export * from './duration.ts';
export * from './objects.ts';
export * from './plan.ts';

/** Which objects of a kind: all conditions must hold. `fields` are dotted paths that the API server can select by. */
export interface Where {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Release numbers as their makers write them (`v1.31.4+rke2r1`, `v1.4.2-rc1`, `v2.10.1`); undefined: could not be read. */
export interface Versions {
  readonly kubernetes?: string | undefined;
  readonly harvester?: string | undefined;
  readonly rancher?: string | undefined;
}

export interface LogOptions {
  readonly container: string;
  /** The log of the container's previous run. */
  readonly previous?: boolean;
  /** How many of the last lines. */
  readonly tail: number;
}

/** The answer of an active probe. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly because: string;
}

/**
 * Read-only eyes on one moment of a cluster. Every look of one picture sees the same objects: a kind is read once.
 * An absent object and one that was not captured are different answers: a rule that needs absence asks `captured`.
 */
export interface Look {
  /** The moment the picture was taken: a bundle's own time, never the wall clock. */
  readonly at: Date;
  /** The object; undefined when it is absent, not captured, or could not be read as its kind. */
  get<T extends Seen>(kind: Kind<T>, ref: { namespace?: string | undefined; name: string }): Promise<T | undefined>;
  /** The objects that could be read, in no particular order. */
  list<T extends Seen>(kind: Kind<T>, where?: Where): Promise<readonly T[]>;
  /**
   * Whether absence means absence: true when the kind (in that namespace, where given) was read completely, also when
   * the API server does not serve it; false when it was refused, not captured, or an object of it could not be read.
   */
  captured(kind: Kind, namespace?: string): Promise<boolean>;
  /** Lines of a container's log, oldest first; undefined: could not be read. */
  log(pod: { namespace: string; name: string }, options: LogOptions): Promise<readonly string[] | undefined>;
  version(): Promise<Versions>;
  /** `vip`: the cluster's virtual IP answers over HTTPS; `readyz`: the API server is ready. undefined: not tried. */
  probe(what: 'vip' | 'readyz'): Promise<ProbeResult | undefined>;
  /** What `FailureMode.lastGood` kept of the object while it was well; undefined: nothing was kept (always in files). */
  lastGood(ref: ObjectRef): Promise<{ readonly at: Date; readonly value: Json } | undefined>;
}

/** It is this failure mode. Only `finding` (with the plan made of it) enters the revision: no times, counts or texts there. */
export interface Recognised<F> {
  readonly is: true;
  readonly finding: F;
  /** A key of the mode's `causes`. */
  readonly cause: string;
  readonly confidence: Confidence;
  /** What is wrong, in one line that names the object. */
  readonly summary: string;
  /** How the evidence leads to the cause. */
  readonly because: string;
  /** What users feel now, in one line. */
  readonly users: string;
  readonly mayWait: { readonly untilMorning: boolean; readonly because: string };
  /** Since when, as far as the objects tell. */
  readonly since?: Date;
  readonly evidence: readonly Evidence[];
}

/** It is not: `because` names what was seen instead. */
export interface NotThis {
  readonly is: false;
  readonly because: string;
}

export type Diagnosis<F> = Recognised<F> | NotThis;

/** Which changes wake a mode: a change of anything outside `fields` wakes nobody. */
export interface Trigger<T extends Seen> {
  readonly kind: Kind<T>;
  readonly where?: Where;
  /** The values that matter; heartbeats and times must not be among them. Undefined: this object never does. */
  fields(object: T): Json | undefined;
}

/** A trigger as the watch knows it: it takes the object as it came and throws where its kind's schema cannot read it. */
export interface Wake {
  readonly kind: Kind;
  readonly where?: Where;
  fields(object: JsonObject): Json | undefined;
}

/** Closes a trigger over its kind's type. */
export function trigger<T extends Seen>({ kind, where, fields }: Trigger<T>): Wake {
  return { kind, ...(where && { where }), fields: (object) => fields(kind.schema.parse(object)) };
}

/** A right on a kind: everywhere, or in one namespace, or on named objects only. RBAC is generated from it. */
export interface Right {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly names?: readonly string[];
}

export interface Rights {
  readonly read: readonly Right[];
  /** Namespaces whose pod logs are read. */
  readonly logs?: readonly string[];
  readonly patch?: readonly Right[];
  readonly delete?: readonly Right[];
  /** Subresources that are PUT: `{ group: 'subresources.kubevirt.io', resource: 'virtualmachines/stop' }`. */
  readonly call?: readonly { readonly group: string; readonly resource: string }[];
}

/** A cause of the vocabulary, with what upstream says of it. */
export interface Cause {
  readonly what: string;
  readonly upstream: readonly { readonly issue: string; readonly affected: string; readonly fixedIn: string }[];
}

/** A named question about the present: whether a step's goal is reached, a wait is over, a guard holds (`fixed`: yes). */
export type Check<F> = (look: Look, finding: F, target: ObjectRef) => Promise<Verdict>;

/** One known failure mode: how it looks, what we would do, how we know that it worked. It looks; the core touches. */
export interface FailureMode<F> {
  readonly id: string;
  readonly title: string;
  /** Whose API shows it: the Harvester cluster's, or that of the Rancher that manages it. */
  readonly on: 'harvester' | 'rancher';
  /** How soon somebody is needed: orders findings, and picks the pager's patience later. */
  readonly urgency: 'now' | 'soon' | 'morning';
  readonly causes: Readonly<Record<string, Cause>>;
  readonly finding: z.ZodType<F>;
  readonly triggers: readonly Wake[];
  /** How long a diagnosis must hold over two looks or more before it is proposed; `0s` where the objects tell. */
  readonly settle: Duration;
  /** How often to look again without a trigger: a stall changes nothing, so no event tells of it. */
  readonly again: Duration;
  readonly rights: Rights;
  /** From how many subjects at once it is one grouped incident without any fix per object. */
  readonly storm?: number;
  /** The objects that may have it, in this picture. */
  subjects(look: Look): Promise<readonly ObjectRef[]>;
  diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<F>>;
  /** Pure: the same finding always gives the same offer. */
  plan(finding: F): Offer;
  readonly checks: Readonly<Record<string, Check<F>>>;
  verify(look: Look, finding: F): Promise<Verdict>;
  /** `fixed` must hold over the whole window `hold`; after `deadline` without it the run has failed. */
  readonly verification: { readonly every: Duration; readonly hold: Duration; readonly deadline: Duration };
  /** Objects whose last good state the store keeps: `good` gives what to keep, undefined when it is not well now. */
  readonly lastGood?: { readonly kind: Kind; good(look: Look, ref: ObjectRef): Promise<Json | undefined> };
}

/** A failure mode as the core knows it: its findings are JSON, checked by the mode's own schema on the way in. */
export type Mode = Omit<FailureMode<Json>, 'finding'>;

/** Closes a mode over its finding's type, so that modes of different findings stand in one list. */
export function failureMode<F>(mode: FailureMode<F>): Mode {
  const { finding, diagnose, plan, checks, verify, ...rest } = mode;
  const read = (json: Json) => finding.parse(json);
  return {
    ...rest,
    async diagnose(look, subject) {
      const said = await diagnose(look, subject);
      return said.is ? { ...said, finding: asJson(said.finding) } : said;
    },
    plan: (json) => plan(read(json)),
    checks: Object.fromEntries(
      Object.entries(checks).map(([name, check]) => [name, (look, json, target) => check(look, read(json), target)]),
    ),
    verify: (look, json) => verify(look, read(json)),
  };
}

/** The finding as it crosses the bus. */
function asJson(finding: unknown): Json {
  return JSON.parse(JSON.stringify(finding));
}

/** What was seen at a dotted path of an object, as evidence: `saw(pdb, 'status.disruptionsAllowed', 'no eviction passes')`. */
export function saw(object: Seen, field: string, because: string): Evidence {
  const found = field.split('.').reduce<unknown>((value, key) => Object(value)[key], object);
  const { name, namespace, uid } = object.metadata;
  return {
    object: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
    },
    field,
    value: found === undefined ? null : asJson(found),
    because,
  };
}
