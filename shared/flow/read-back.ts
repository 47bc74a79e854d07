import { type JsonObject, milliseconds, nameOf, type TouchingStep } from '../handler.ts';
import type { StepRecord } from '../model.ts';
import type { Cluster, Guard, Read } from '../ports/cluster.ts';
import { touchOf } from './dry-run.ts';

/** The manager that the Kubernetes adapter writes as, found again in `metadata.managedFields`. */
const FIELD_MANAGER = 'gleaner';

/** By so much may the clocks of Gleaner and of the API server differ. */
const SKEW = milliseconds('10m');

/**
 * Whether a touch that may have happened did. `not-yet`: a request that is still on its way may take effect until the
 * object changes or the API server gives it up; `did-not`: it can no more. `ask-again` is no answer, `cannot-tell` is final.
 */
export type ReadBack = 'took-effect' | 'did-not' | 'not-yet' | 'ask-again' | 'cannot-tell';

/**
 * Finds out by reading what became of a touch whose answer was lost, or after which the process died. The touch
 * carried a resourceVersion: while the object still has it nothing was written, and once it has another the touch
 * cannot take effect any more, however late the API server comes to it.
 */
export async function readBack(
  cluster: Cluster,
  step: TouchingStep,
  record: StepRecord,
): Promise<{ is: ReadBack; because: string }> {
  const name = nameOf(step.target);
  const read = await cluster.read(step.target);
  if (read.is === 'unreadable') return { is: 'ask-again', because: read.because };
  if (step.do === 'delete') return afterDelete(step, record, read);
  if (read.is === 'absent') return { is: 'cannot-tell', because: `${name} is gone` };
  if (isSame(record, read.guard)) return { is: 'not-yet', because: `${name} has not changed since` };
  // A restart is told by its time, so the same touch is tried, not one of this moment.
  const run = await cluster.dryRun(touchOf(step, read.guard, new Date(record.since)));
  if (run.is === 'already-so') return { is: 'took-effect', because: `${name} has the values of the ${step.do}` };
  if (wroteIt(read.object, record.since))
    return { is: 'cannot-tell', because: `${name} was written by Gleaner, and changed again by somebody else` };
  return managersOf(read.object).length > 0
    ? { is: 'did-not', because: `${name} does not show it` }
    : { is: 'cannot-tell', because: `${name} was changed since, and does not tell by whom` };
}

const isSame = ({ guard }: StepRecord, now: Guard) =>
  guard?.resourceVersion === now.resourceVersion && guard.uid === now.uid;

function afterDelete(step: TouchingStep, record: StepRecord, read: Read): { is: ReadBack; because: string } {
  const name = nameOf(step.target);
  if (read.is !== 'there') return { is: 'took-effect', because: `${name} is gone` };
  if (read.guard.uid !== record.guard?.uid) return { is: 'took-effect', because: `${name} is another object by now` };
  const leaving = Object(read.object.metadata).deletionTimestamp !== undefined;
  if (leaving) return { is: 'took-effect', because: `${name} is being deleted` };
  return { is: isSame(record, read.guard) ? 'not-yet' : 'did-not', because: `${name} is still there` };
}

const managersOf = (object: JsonObject): { manager?: string; time?: string }[] =>
  Object(object.metadata).managedFields ?? [];

/** Managed fields carry the API server's time: what cannot be told from an earlier write of ours counts as this one. */
function wroteIt(object: JsonObject, since: string): boolean {
  const from = Date.parse(since) - SKEW;
  return managersOf(object).some(({ manager, time }) => manager === FIELD_MANAGER && Date.parse(time ?? '') >= from);
}
