import { type JsonObject, JsonValue } from '../../handler.ts';
import type { Schema } from '../api/schema.ts';
import { isObject } from '../json.ts';

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const whole: Schema = { type: 'integer' };
export const int32: Schema = { type: 'integer', format: 'int32' };
export const int64: Schema = { type: 'integer', format: 'int64' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const ipv4: Schema = { type: 'string', format: 'ipv4' };
/** An object whose fields nobody checks. */
export const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties });
export const texts = listOf(text);
export const textMap = mapOf(text);

/** An object with these fields; `open`: and any others. */
export const fields = (
  properties: Readonly<Record<string, Schema>>,
  { required, open, nullable }: { required?: readonly string[]; open?: boolean; nullable?: boolean } = {},
): Schema => ({
  type: 'object',
  ...(required && { required }),
  ...(open && { 'x-kubernetes-preserve-unknown-fields': true }),
  ...(nullable && { nullable }),
  properties,
});

const condition = { type: text, status: text };
const told = { reason: text, message: text, lastUpdateTime: text, lastTransitionTime: text };
export const conditions = listOf(fields({ ...condition, ...told }, { required: ['type', 'status'] }));
export const openConditions = listOf(fields(condition, { required: ['type', 'status'], open: true }));

interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly namespaced?: boolean;
  readonly shortNames?: readonly string[];
  readonly versions: readonly {
    readonly name: string;
    /** Whether the status is a subresource. Without it a PUT that leaves the status out erases it. */
    readonly status?: boolean;
    /** Default: yes. */
    readonly stored?: boolean;
    readonly schema: Schema;
  }[];
}

/** A CustomResourceDefinition object, as the API server stores it. */
export function definition({
  group,
  kind,
  plural,
  singular = kind.toLowerCase(),
  namespaced,
  shortNames,
  versions,
}: Definition): JsonObject {
  const made = JsonValue.parse({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular, ...(shortNames && { shortNames }) },
      versions: versions.map(({ name, status, stored = true, schema }) => ({
        name,
        served: true,
        storage: stored,
        ...(status && { subresources: { status: {} } }),
        schema: { openAPIV3Schema: schema },
      })),
    },
  });
  return isObject(made) ? made : {};
}
