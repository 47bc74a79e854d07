import * as z from 'zod';

/** Credentials of AWS for a while. Secret: never logged, never kept on a disk. */
export const Session = z.object({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1),
  expiration: z.iso.datetime(),
  region: z.string().min(1),
  /** The URLs of the cluster's own queue, and of the one for what cannot be handled. */
  queue: z.url(),
  deadLetters: z.url(),
});
export type Session = z.infer<typeof Session>;
