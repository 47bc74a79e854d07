import * as z from 'zod';

/** Why one entry of a batch was not taken. `again`: it may be taken if it is sent again. */
export interface Refusal {
  readonly code: string;
  readonly because: string;
  readonly again: boolean;
}

/** An entry that was not taken in the end. */
export interface Refused<T> extends Refusal {
  readonly item: T;
}

export interface Batching<T> {
  /** Sends at most ten; answers for each entry, in the same order, whether it was refused. A throw concerns all of them. */
  readonly send: (batch: readonly T[]) => Promise<readonly (Refusal | undefined)[]>;
  readonly sizeOf: (item: T) => number;
  /** Bytes that one request may hold, all its entries together. */
  readonly largest: number;
  readonly pause: (ms: number) => Promise<void>;
  /** Spreads the waits. Gives numbers from 0 to below 1. */
  readonly random: () => number;
}

/** PutEvents and SendMessageBatch both take ten entries. */
const ENTRIES = 10;
/** A function that waits is paid for, and SQS delivers again anyway: four tries within about a second. */
const TRIES = 4;
const FIRST_WAIT = 100;

/**
 * Sends all items in batches, and again what was refused for now: the same items, so that their ids stay what they are.
 * Answers what was not taken in the end; it never throws for an answer of the service.
 */
export async function sendAll<T>(items: readonly T[], batching: Batching<T>): Promise<readonly Refused<T>[]> {
  const lasting: Refused<T>[] = [];
  let left = items;
  for (let tried = 1; left.length > 0; tried++) {
    const refused = (await Promise.all(batchesOf(left, batching).map((batch) => sendOne(batch, batching)))).flat();
    const isLast = tried >= TRIES;
    lasting.push(...refused.filter(({ again }) => isLast || !again));
    left = isLast ? [] : refused.filter(({ again }) => again).map(({ item }) => item);
    if (left.length > 0) await batching.pause(FIRST_WAIT * 2 ** (tried - 1) * (0.5 + batching.random() / 2));
  }
  return lasting;
}

/** In their order, each batch as full as count and bytes allow. What is too large alone goes alone, to be refused. */
export function batchesOf<T>(items: readonly T[], { sizeOf, largest }: Pick<Batching<T>, 'sizeOf' | 'largest'>): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const last = batches.at(-1);
    if (last && last.length < ENTRIES && bytes + size <= largest) {
      last.push(item);
      bytes += size;
    } else {
      batches.push([item]);
      bytes = size;
    }
  }
  return batches;
}

async function sendOne<T>(batch: readonly T[], { send }: Batching<T>): Promise<Refused<T>[]> {
  let refusals: readonly (Refusal | undefined)[];
  try {
    refusals = await send(batch);
  } catch (error) {
    const refusal = refusalOf(error);
    refusals = batch.map(() => refusal);
  }
  return batch.flatMap((item, index) => {
    const refusal = refusals[index];
    return refusal ? [{ item, ...refusal }] : [];
  });
}

const Thrown = z.object({
  name: z.string(),
  message: z.string().catch(''),
  $metadata: z
    .object({ httpStatusCode: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Errors of a whole request by name, as AWS spells them: come back later. The last three are a clock that the SDK sets right from the answer. */
const PASSING = new Set([
  'ThrottlingException',
  'Throttling',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'TooManyRequestsException',
  'KmsThrottled',
  'RequestTimeTooSkewed',
  'RequestExpired',
  'InvalidSignatureException',
]);

/** What the SDK threw, as the refusal of a whole request. Without a status nothing was heard: it may have been taken. */
export function refusalOf(error: unknown): Refusal {
  const thrown = Thrown.safeParse(error);
  if (!thrown.success) return { code: 'Error', because: 'something was thrown that is no error', again: false };
  const { name, message, $metadata } = thrown.data;
  const status = $metadata?.httpStatusCode;
  const isMistake = error instanceof TypeError || error instanceof RangeError;
  const again = PASSING.has(name) || (status === undefined ? !isMistake : status >= 500 || status === 429);
  return { code: name, because: message.slice(0, 300), again };
}
