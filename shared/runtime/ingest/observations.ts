import * as z from 'zod';

/** No name of Kubernetes is longer than 253; a sentence of ours is shorter than this. */
const name = z.string().min(1).max(253);
const because = z.string().max(1_000);
const cluster = z.string().min(1).max(100);

const Ref = z.strictObject({
  apiVersion: name,
  kind: name,
  namespace: name.optional(),
  name,
  uid: name.optional(),
});

/**
 * What a watcher may say: only that something is to be looked at, what it does not see, and that it is alive. Strict, so
 * that nothing rides along: an observation that names a click would have that click answered.
 */
const Told = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('observed'), cluster, mode: name, because, objects: z.array(Ref).max(50) }),
  z.strictObject({ event: z.literal('blinded'), cluster, kind: name, because }),
  z.strictObject({ event: z.literal('sighted'), cluster, kind: name, because }),
  z.strictObject({
    event: z.literal('beat'),
    cluster,
    name,
    flavour: z.enum(['harvester', 'rancher']),
    version: z.string().max(100),
  }),
]);

/** The body of a post. */
export const Observations = z.strictObject({ schema: z.literal(1), facts: z.array(Told).min(1).max(200) });
export type Observations = z.infer<typeof Observations>;
