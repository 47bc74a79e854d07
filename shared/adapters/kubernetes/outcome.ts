import type { Touched } from '../../ports/cluster.ts';
import { type Answer, type Answered, because, jsonOf, retryAfterOf, statusOf } from './answer.ts';
import { guardedIn } from './read-object.ts';

const MUTE = 'a test operation of the patch does not hold, or the patch does not fit the object (422)';

/** How long to wait where nobody says: no server could be reached, or it did not say when to come back. */
const USUAL_WAIT = 5;

/** What an answer to a write means. `look`: only another look at the object can tell the named two apart. */
export type Outcome =
  | Touched
  | {
      readonly is: 'look';
      readonly for: 'a lost guard' | 'an untouched object';
      readonly code: number;
      readonly because: string;
    };

/**
 * Tells by status code, reason and details, never by message. What is not a definite refusal is `unknown`: a timeout or
 * a 504 may have been applied, then or later.
 */
export function outcomeOf(answer: Answer, operation: Operation): Outcome {
  switch (answer.is) {
    case 'not-sent':
      return { is: 'throttled', retryAfter: USUAL_WAIT, because: `nothing was sent: ${answer.because}` };
    case 'lost':
      return { is: 'unknown', because: answer.because };
    case 'answered':
      return answered(answer, operation);
  }
}

type Operation = 'patch' | 'delete' | 'call';

function answered(answer: Answered, operation: Operation): Outcome {
  const { code } = answer;
  const why = because(answer);
  if (code >= 200 && code < 300) return { is: 'applied', object: operation === 'patch' ? objectIn(answer) : undefined };
  if (code === 429)
    return { is: 'throttled', retryAfter: retryAfterOf(answer, USUAL_WAIT), because: busy(answer, why) };
  if (code === 409 || code === 412) return { is: 'precondition-failed', because: why };
  if (code === 408 || code >= 500 || code < 400) return failed(answer, operation, why);
  return operation === 'call' ? { is: 'rejected', code, because: why } : refused(answer, why);
}

/** A definite no to a guarded write: because of its guard, or because of what it says. */
function refused(answer: Answered, why: string): Outcome {
  const { code } = answer;
  const status = statusOf(answer);
  const causes = status?.details?.causes ?? [];
  if (code === 404 && status?.reason === 'NotFound')
    return { is: 'precondition-failed', because: `it is gone: ${why}` };
  if (causes.some(({ field }) => field === 'metadata.uid')) {
    return { is: 'precondition-failed', because: 'it was deleted and created again' };
  }
  // A JSON patch whose `test` fails is a bare 422, like one that cannot be applied (apiserver handlers/patch.go).
  const isMute = code === 422 && causes.length === 0;
  return isMute ? { is: 'look', for: 'a lost guard', code, because: MUTE } : { is: 'rejected', code, because: why };
}

/** Three things are a 429, and none of them wrote: priority and fairness, a storage that starts, a disruption budget. */
function busy(answer: Answered, why: string): string {
  const status = statusOf(answer);
  if (!status) return `the API server takes no more requests now: ${why}`;
  const isBudget = status.details?.causes.some(({ reason }) => reason === 'DisruptionBudget') ?? false;
  return isBudget ? `a disruption budget allows no eviction now: ${why}` : why;
}

function failed(answer: Answered, operation: Operation, why: string): Outcome {
  const status = statusOf(answer);
  // apierrors.NewInternalError, as for an admission webhook that cannot be called: the request is over.
  const isOver = answer.code === 500 && status?.reason === 'InternalError' && status.details !== undefined;
  if (isOver && operation !== 'call') return { is: 'look', for: 'an untouched object', code: 500, because: why };
  return { is: 'unknown', because: `HTTP ${answer.code}: ${why}` };
}

const objectIn = (answer: Answered) => guardedIn(jsonOf(answer.body))?.object;
