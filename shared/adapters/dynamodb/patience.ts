import * as z from 'zod';
import type { Clock } from '../../ports/clock.ts';

/** Asks DynamoDB, again where that may help. `what` names the call for a person: `UpdateItem of proposal x`. */
export type Ask = <T>(what: string, send: () => Promise<T>) => Promise<T>;

const Thrown = z.object({
  name: z.string(),
  code: z.string().optional().catch(undefined),
  message: z.string().catch(''),
  $metadata: z
    .object({
      httpStatusCode: z.number().optional().catch(undefined),
      clockSkewCorrected: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Thrown = z.infer<typeof Thrown>;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
]);
const TRANSIENT = new Set(['InternalServerError', 'ServiceUnavailable', 'ServiceUnavailableException', 'TimeoutError']);
/** What Node says of a connection that did not come about or broke: the request may have arrived all the same. */
const NETWORK = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

type Trouble = 'condition' | 'throttled' | 'transient' | 'skewed' | 'refused';

/** By name, code and status, never by the words of a message. */
function troubleOf({ name, code = '', $metadata }: Thrown): Trouble {
  if (name === 'ConditionalCheckFailedException') return 'condition';
  if (THROTTLED.has(name) || $metadata?.httpStatusCode === 429) return 'throttled';
  // The SDK has set its clock right by the answer, and signs the next request by it.
  if ($metadata?.clockSkewCorrected === true) return 'skewed';
  const isServers = ($metadata?.httpStatusCode ?? 0) >= 500;
  return TRANSIENT.has(name) || NETWORK.has(code) || isServers ? 'transient' : 'refused';
}

/** No try begins later than this after the first, and all waits together are no longer than a second: a function that waits is paid for, and its delivery comes again. */
const DEADLINE = 5_000;
const ALL_WAITS = 1_000;
const TRIES = 6;
const FIRST_WAIT: Readonly<Record<Trouble, number>> = {
  throttled: 100,
  transient: 25,
  skewed: 0,
  condition: 0,
  refused: 0,
};

/**
 * Tries again what was throttled, what failed in the service or on the way, and what was signed by a wrong clock. Any
 * write may be sent twice by it: whoever writes marks it with an attempt of its own. What is left throws an Error, which
 * means "run me again"; the SDK's own error of a condition that did not hold is passed on.
 */
export function patience({ clock, table, random }: { clock: Clock; table: string; random: () => number }): Ask {
  const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));

  /** How long to wait before the next try. Throws where there is none. */
  function next(error: unknown, { what, tried, begun, waited }: Trying): number {
    const { data: thrown } = Thrown.safeParse(error);
    const trouble = thrown ? troubleOf(thrown) : 'refused';
    if (!thrown || trouble === 'condition') throw error;
    const wait = FIRST_WAIT[trouble] * 2 ** (tried - 1) * (0.5 + random() / 2);
    const isOver = tried >= TRIES || waited + wait > ALL_WAITS || clock.now().getTime() - begun > DEADLINE;
    if (trouble === 'refused' || isOver) throw sentence(error, thrown, { what, table, tried, trouble });
    return wait;
  }

  return async (what, send) => {
    const begun = clock.now().getTime();
    let waited = 0;
    for (let tried = 1; ; tried++) {
      try {
        return await send();
      } catch (error) {
        const wait = next(error, { what, tried, begun, waited });
        waited += wait;
        if (wait > 0) await pause(wait);
      }
    }
  };
}

/** How far a call has come: its tries, when the first was, and the milliseconds of its waits. */
interface Trying {
  readonly what: string;
  readonly tried: number;
  readonly begun: number;
  readonly waited: number;
}

/** What to do about the errors that people cause. */
const NEXT: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'check the name of the table and the region, or deploy the stack',
  AccessDeniedException: "check the rights of the function's role on the table",
  ExpiredTokenException: 'its credentials have expired: renew them',
  UnrecognizedClientException: 'its credentials are not known to AWS: check them',
  CredentialsProviderError: 'no AWS credentials were found: name a role or a profile',
};

function sentence(
  cause: unknown,
  { name, code, message, $metadata }: Thrown,
  about: { what: string; table: string; tried: number; trouble: Trouble },
): Error {
  const of = `${about.what} in DynamoDB's table ${about.table}`;
  const said = `${code ?? name}${$metadata?.httpStatusCode === undefined ? '' : ` ${$metadata.httpStatusCode}`}: ${message.slice(0, 300)}`;
  if (about.trouble === 'refused') {
    return new Error(`${of} was refused (${said}): ${NEXT[name] ?? 'this is a mistake of Gleaner or of its set-up'}`, {
      cause,
    });
  }
  const why = about.trouble === 'throttled' ? 'is throttled' : 'got no answer that tells what became of it';
  return new Error(`${of} ${why}, after ${about.tried} tries (${said}): it is tried again later`, { cause });
}
