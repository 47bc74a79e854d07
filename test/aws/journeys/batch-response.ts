import * as z from 'zod';

/** What a function behind a queue answers, as Lambda reads it. */
export const BatchResponse = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });
