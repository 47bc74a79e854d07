import * as z from 'zod';
import type { Json, JsonObject } from '../../handler.ts';
import { JsonValue } from '../../handler.ts';
import { isList, isObject } from '../json.ts';
import type { Fault } from './status.ts';

/** The part of a structural schema (apiextensions.k8s.io/v1 JSONSchemaProps) that the pretend API server enforces. */
export interface Schema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly required?: readonly string[] | undefined;
  readonly enum?: readonly Json[] | undefined;
  readonly default?: Json | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly items?: Schema | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
}

export const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    format: z.string().optional(),
    nullable: z.boolean().optional(),
    required: z.array(z.string()).optional(),
    enum: z.array(JsonValue).optional(),
    default: JsonValue.optional(),
    properties: z.record(z.string(), Schema).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    items: Schema.optional(),
    'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  }),
);

/** The fields that every object has, which no custom resource's schema names. */
const OF_EVERY_OBJECT = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of one field; true: anything goes; undefined: nobody knows the field. */
function schemaOf(schema: Schema, field: string): Schema | true | undefined {
  const own = schema.properties?.[field];
  if (own) return own;
  if (isSchema(schema.additionalProperties)) return schema.additionalProperties;
  return schema.additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] ? true : undefined;
}

const isSchema = (value: Schema | boolean | undefined): value is Schema => typeof value === 'object';

/** An object as the API server stores it: unknown fields pruned (each is told to `unknown`), defaults filled in. */
export function shaped(schema: Schema, object: JsonObject, unknown: (path: string) => void): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const body = shape(schema, rest, '', unknown);
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', metadata: metadata ?? {}, ...(isObject(body) ? body : {}) };
}

function shape(schema: Schema, value: Json, path: string, unknown: (path: string) => void): Json {
  if (isList(value)) {
    const { items } = schema;
    return items ? value.map((item, index) => shape(items, item, `${path}[${index}]`, unknown)) : value;
  }
  return isObject(value) ? withDefaultsOf(schema, shapeFields(schema, value, path, unknown)) : value;
}

function shapeFields(schema: Schema, value: JsonObject, path: string, unknown: (path: string) => void): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [field, inner] of Object.entries(value)) {
    const known = schemaOf(schema, field);
    const where = path ? `${path}.${field}` : field;
    if (known === undefined) unknown(where);
    else if (known === true) kept[field] = inner;
    // A null where null is not allowed counts as absent once a default stands for it.
    else if (inner !== null || known.nullable || known.default === undefined)
      kept[field] = shape(known, inner, where, unknown);
  }
  return kept;
}

function withDefaultsOf({ properties = {} }: Schema, value: JsonObject): JsonObject {
  const missing = Object.entries(properties).filter(([field]) => value[field] === undefined);
  const filled = missing.flatMap(([field, known]) => (known.default === undefined ? [] : [[field, known.default]]));
  return { ...value, ...Object.fromEntries(filled) };
}

/** What is wrong with a custom resource by its schema. */
export function faultsOf(schema: Schema, object: JsonObject): readonly Fault[] {
  const body = Object.fromEntries(Object.entries(object).filter(([field]) => !OF_EVERY_OBJECT.has(field)));
  return faults({ ...schema, type: 'object' }, body, '');
}

function faults(schema: Schema, value: Json, path: string): readonly Fault[] {
  if (value === null && schema.nullable) return [];
  const wrong = typeFault(schema, value, path);
  if (wrong) return [wrong];
  if (schema.enum && !schema.enum.includes(value)) {
    const allowed = schema.enum.map((each) => JSON.stringify(each)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed}`;
    return [{ reason: 'FieldValueNotSupported', field: path, message }];
  }
  if (isList(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => faults(items, item, `${path}[${index}]`)) : [];
  }
  return isObject(value) ? fieldFaults(schema, value, path) : [];
}

function fieldFaults(schema: Schema, value: JsonObject, path: string): readonly Fault[] {
  const inside = (field: string) => (path ? `${path}.${field}` : field);
  const missing = (schema.required ?? []).filter((field) => value[field] === undefined);
  return [
    ...missing.map(
      (field): Fault => ({ reason: 'FieldValueRequired', field: inside(field), message: 'Required value' }),
    ),
    ...Object.entries(value).flatMap(([field, inner]) => {
      const known = schemaOf(schema, field);
      return isSchema(known) ? faults(known, inner, inside(field)) : [];
    }),
  ];
}

const IS: Readonly<Record<string, (value: Json) => boolean>> = {
  object: isObject,
  array: isList,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
};

function typeFault({ type }: Schema, value: Json, path: string): Fault | undefined {
  if (type === undefined || (IS[type]?.(value) ?? true)) return undefined;
  const actual = value === null ? 'null' : isList(value) ? 'array' : typeof value;
  const message = `Invalid value: "${actual}": ${path} in body must be of type ${type}: "${actual}"`;
  return { reason: 'FieldValueInvalid', field: path, message };
}
