import * as z from 'zod';
import { JsonValue, optional } from '../../shared/handler.ts';
import { Namespace } from '../../shared/kinds.ts';

/** Who wrote which fields, and when last. */
const ManagedFields = z.array(
  z.object({
    manager: optional(z.string()),
    time: optional(z.string()),
    subresource: optional(z.string()),
    fieldsV1: optional(JsonValue),
  }),
);

/** Metadata with the record of its writers. */
export const Metadata = Namespace.schema.shape.metadata.extend({ managedFields: optional(ManagedFields) });

interface Written {
  readonly metadata: z.infer<typeof Metadata>;
}

/** When somebody last wrote the field (as steps of fieldsV1, such as `f:spec`); undefined where nobody is recorded. */
export function lastWritten({ metadata }: Written, ...steps: readonly string[]): Date | undefined {
  const times = (metadata.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => subresource !== 'status' && holds(fieldsV1, steps))
    .map(({ time }) => Date.parse(time ?? ''))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}

const holds = (fields: unknown, steps: readonly string[]): boolean =>
  steps.reduce<unknown>((value, step) => Object(value)[step], fields) !== undefined;
