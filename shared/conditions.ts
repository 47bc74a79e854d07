import * as z from 'zod';
import { optional } from './objects.ts';

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: optional(z.string()),
  message: optional(z.string()),
  lastTransitionTime: optional(z.string()),
});
export type Condition = z.infer<typeof Condition>;
/** `status.conditions`, empty where there are none. */
export const conditions = z
  .array(Condition)
  .nullish()
  .transform((value) => value ?? []);

/** The condition of that type, if the object has one. */
export const conditionOf = (object: { status?: { conditions: readonly Condition[] } | undefined }, type: string) =>
  object.status?.conditions.find((condition) => condition.type === type);

/** Whether the condition of that type is True. */
export const isTrue = (object: { status?: { conditions: readonly Condition[] } | undefined }, type: string) =>
  conditionOf(object, type)?.status === 'True';
