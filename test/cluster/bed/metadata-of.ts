import { z } from 'zod';

const objectSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string() }),
});

/** The metadata that guards a write, out of an answer's body. */
export function metadataOf(body: unknown): z.infer<typeof objectSchema>['metadata'] {
  return objectSchema.parse(body).metadata;
}
