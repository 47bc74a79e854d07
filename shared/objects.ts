import * as z from 'zod';

/** What JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Any JSON value, as a schema. */
export const JsonValue: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(JsonValue), z.record(z.string(), JsonValue)]),
);

/** A Kubernetes object as JSON, before a `Kind` has read it: only what every object has is known. */
export type JsonObject = { readonly [key: string]: Json };

/** Whether a JSON value is an object, and neither an array nor null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Kubernetes writes `null` where it means "absent" (`creationTimestamp: null` in templates): both read as undefined. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

const strings = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

/** The metadata that rules may read. `resourceVersion` is left out on purpose: only the core guards writes with it. */
export const Metadata = z.object({
  name: z.string(),
  namespace: optional(z.string()),
  uid: optional(z.string()),
  labels: strings,
  annotations: strings,
  creationTimestamp: optional(z.string()),
  deletionTimestamp: optional(z.string()),
  generation: optional(z.number()),
  finalizers: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  ownerReferences: z
    .array(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: optional(z.string()) }))
    .nullish()
    .transform((value) => value ?? []),
});
export type Metadata = z.infer<typeof Metadata>;

/** Names one object; the uid, where known, tells it from another one of the same name. */
export const ObjectRef = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string().optional(),
});
export type ObjectRef = z.infer<typeof ObjectRef>;

/** The least that every object a `Kind` has read carries. */
export interface Seen {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/**
 * A Kubernetes kind and the part of it that Gleaner reads: the schema is also the projection, so nothing else is kept.
 * Readers match objects by group and kind; a reader of a live API takes the group's served version where `apiVersion`
 * is not served.
 */
export interface Kind<T extends Seen = Seen> {
  readonly apiVersion: string;
  readonly kind: string;
  /** The plural, as in URLs: `ippools`. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly schema: z.ZodType<T>;
}

/** The type of the objects of a kind. */
export type Of<K extends { schema: z.ZodType }> = z.infer<K['schema']>;

/** Declares a kind: `shape` is what is read beside apiVersion, kind and metadata. */
export function kind<S extends z.ZodRawShape>(
  name: { apiVersion: string; kind: string; plural: string; namespaced: boolean },
  shape: S,
) {
  const schema = z.object({ apiVersion: z.string(), kind: z.string(), metadata: Metadata, ...shape });
  return { ...name, schema };
}

/** The API group of an apiVersion: `''` for `v1`, `apps` for `apps/v1`. */
export const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

/** The reference to an object that was read. */
export function refOf(object: Seen): ObjectRef {
  const { name, namespace, uid } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
}

/** `IPPool pool1`, `Pod harvester-system/harvester-0`: how a person names an object. */
export const nameOf = (ref: ObjectRef) => `${ref.kind} ${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}`;
