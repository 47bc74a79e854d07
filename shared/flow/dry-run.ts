import { type JsonObject, nameOf, type Patch, type Plan, type Step, type TouchingStep, touches } from '../handler.ts';
import type { DryRun, DryRuns } from '../model.ts';
import type { Cluster, Guard, Touch } from '../ports/cluster.ts';

/** The annotation by which `kubectl rollout restart` makes a workload's controller replace its pods. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** The guarded write of a step. The guard is the core's own, from the look that it has just taken. */
export function touchOf(step: TouchingStep, guard: Guard, at: Date): Touch {
  const target = step.target;
  switch (step.do) {
    case 'patch':
      return { do: 'patch', target, patch: step.patch, guard };
    case 'delete':
      return { do: 'delete', target, guard };
    case 'call':
      return { do: 'call', target, subresource: step.subresource, body: step.body };
    case 'restart':
      return { do: 'patch', target, patch: restart(at), guard };
  }
}

const restart = (at: Date): Patch => ({
  type: 'merge',
  body: { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: at.toISOString() } } } } },
});

/** Why an object that was read is not the one that the plan names; undefined when it is. */
export const isAnother = (step: TouchingStep, guard: Guard) =>
  step.target.uid !== undefined && step.target.uid !== guard.uid
    ? `${nameOf(step.target)} was deleted and created again since the plan was made`
    : undefined;

/** The object as evidence of what a step did: without what the API server keeps for itself. */
export function imageOf(object: JsonObject): JsonObject {
  const { managedFields, resourceVersion, ...metadata } = Object(object.metadata);
  return { ...object, metadata };
}

/**
 * Asks the API server what each step of each plan would change now: the diff on the card. Nothing is changed. A step on
 * an object that an earlier step changes first cannot be tried against the present.
 */
export async function dryRunsOf(cluster: Cluster, plans: readonly Plan[], at: Date): Promise<DryRuns> {
  const runs: DryRuns = {};
  for (const { id, steps } of plans) {
    const changed = new Set<string>();
    const ofPlan: DryRun[] = [];
    for (const step of steps) {
      const target = nameOf(step.target);
      ofPlan.push(
        changed.has(target) ? notTried(`an earlier step changes ${target} first`) : await dryRunOf(cluster, step, at),
      );
      if (touches(step)) changed.add(target);
    }
    runs[id] = ofPlan;
  }
  return runs;
}

const notTried = (because: string): DryRun => ({ is: 'not-tried', because });

async function dryRunOf(cluster: Cluster, step: Step, at: Date): Promise<DryRun> {
  if (!touches(step)) return notTried('this step changes nothing by itself');
  const read = await cluster.read(step.target);
  switch (read.is) {
    case 'absent':
      return step.do === 'delete'
        ? { is: 'already-so' }
        : { is: 'blocked', because: `${nameOf(step.target)} is not there` };
    case 'unreadable':
      return { is: 'blocked', because: read.because };
    case 'there': {
      const another = isAnother(step, read.guard);
      return another ? { is: 'blocked', because: another } : cluster.dryRun(touchOf(step, read.guard, at));
    }
  }
}
