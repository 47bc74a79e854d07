import { type JsonObject, nameOf, type TouchingStep } from '../handler.ts';
import type { StepRecord } from '../model.ts';
import type { Cluster, Read } from '../ports/cluster.ts';
import { touchOf } from './dry-run.ts';

/** The manager that the Kubernetes adapter writes as, found again in `metadata.managedFields`. */
const FIELD_MANAGER = 'gleaner';

/** Whether a touch that may have happened did: `cannot-tell` is final, `ask-again` is not. */
export type ReadBack = 'took-effect' | 'did-not' | 'ask-again' | 'cannot-tell';

/**
 * Finds out by reading what became of a touch whose answer was lost, or after which the process died. The touch
 * carried a resourceVersion: while the object still has it nothing was written, and once it has another the touch
 * cannot take effect any more, however late the API server comes to it.
 */
export async function readBack(
  cluster: Cluster,
  step: TouchingStep,
  record: StepRecord,
  at: Date,
): Promise<{ is: ReadBack; because: string }> {
  const read = await cluster.read(step.target);
  if (read.is === 'unreadable') return { is: 'ask-again', because: read.because };
  if (step.do === 'delete') return afterDelete(step, record, read);
  if (read.is === 'absent') return { is: 'cannot-tell', because: `${nameOf(step.target)} is gone` };
  if (step.do === 'patch') {
    const run = await cluster.dryRun(touchOf(step, read.guard, at));
    if (run.is === 'already-so')
      return { is: 'took-effect', because: `${nameOf(step.target)} has the values of the patch` };
  }
  if (wroteIt(read.object, record.since)) {
    return step.do === 'patch'
      ? {
          is: 'cannot-tell',
          because: `${nameOf(step.target)} was written by Gleaner, and changed again by somebody else`,
        }
      : { is: 'took-effect', because: `${nameOf(step.target)} was written by Gleaner since the touch` };
  }
  const same = read.guard.resourceVersion === record.guard?.resourceVersion && read.guard.uid === record.guard.uid;
  if (same || managersOf(read.object).length > 0)
    return { is: 'did-not', because: `${nameOf(step.target)} does not show it` };
  return { is: 'cannot-tell', because: `${nameOf(step.target)} was changed since, and does not tell by whom` };
}

function afterDelete(step: TouchingStep, record: StepRecord, read: Read): { is: ReadBack; because: string } {
  const name = nameOf(step.target);
  if (read.is !== 'there') return { is: 'took-effect', because: `${name} is gone` };
  if (read.guard.uid !== record.guard?.uid) return { is: 'took-effect', because: `${name} is another object by now` };
  const leaving = Object(read.object.metadata).deletionTimestamp !== undefined;
  return leaving
    ? { is: 'took-effect', because: `${name} is being deleted` }
    : { is: 'did-not', because: `${name} is still there` };
}

const managersOf = (object: JsonObject): { manager?: string; time?: string }[] =>
  Object(object.metadata).managedFields ?? [];

/** Managed fields carry whole seconds: a write of the same second counts as ours. */
function wroteIt(object: JsonObject, since: string): boolean {
  const from = Math.floor(Date.parse(since) / 1000) * 1000;
  return managersOf(object).some(({ manager, time }) => manager === FIELD_MANAGER && Date.parse(time ?? '') >= from);
}
