import { type Diagnosis, nameOf, refOf, saw } from '../../../shared/handler.ts';
import { conditionOf, isTrue, Job, type Node, type Of } from '../../../shared/kinds.ts';
import type { Finding } from '../finding.ts';
import { isReady, MINUTE, PROMOTION, SYSTEM, since } from '../nodes.ts';
import type { Sight } from '../sight.ts';

type SomeJob = Of<typeof Job>;

/** How long a promotion may take. */
const PATIENCE = 30 * MINUTE;

/** Whether the node is, or was to be, promoted: a fault, a reason to wait, or undefined where no promotion is seen. */
export async function promotion({ look }: Sight, node: Node): Promise<Diagnosis<Finding> | undefined> {
  const name = node.metadata.name;
  const noted = node.metadata.annotations[PROMOTION];
  const job = await jobOf(look, name);
  const state = stateOf(noted, job);
  if (state === undefined) return undefined;
  const age = since(look, job?.status?.startTime ?? job?.metadata.creationTimestamp);
  if (state === 'running' && (age ?? (job ? PATIENCE : 0)) < PATIENCE && (job || isReady(node))) {
    return { is: false, because: `Node ${name} is being promoted to the control plane, which may take half an hour` };
  }
  const how = { running: 'has not ended for half an hour', failed: 'failed', unknown: 'ended in nobody knows what' }[
    state
  ];
  return {
    is: true,
    finding: { about: 'promotion', class: 'PROMOTION', node: refOf(node), state, job: job ? refOf(job) : null },
    cause: 'promotion-to-server-failed',
    confidence: noted !== undefined || age !== undefined ? 'certain' : 'probable',
    summary: `The promotion of Node ${name} to the control plane ${how}`,
    because: `${job ? nameOf(refOf(job)) : `the annotation ${PROMOTION}`} says so, and while it stands no other node is promoted`,
    users: `Node ${name} is cordoned and takes no VM; the control plane has one member less than it should`,
    mayWait: isReady(node)
      ? { untilMorning: true, because: 'the node runs; only the control plane is smaller than planned' }
      : { untilMorning: false, because: `Node ${name} is not Ready either` },
    evidence: [
      saw(node, 'metadata.annotations', 'what Harvester noted of the promotion'),
      saw(node, 'status.conditions', `Ready is ${conditionOf(node, 'Ready')?.status ?? 'not said'}`),
      ...(job ? [saw(job, 'status', 'the job of the promotion')] : []),
    ],
  };
}

async function jobOf(look: Sight['look'], node: string): Promise<SomeJob | undefined> {
  const jobs = await look.list(Job, { namespace: SYSTEM });
  return jobs.find(
    ({ metadata }) =>
      metadata.labels['harvesterhci.io/promote-node'] === node || metadata.name === `harvester-promote-${node}`,
  );
}

function stateOf(noted: string | undefined, job: SomeJob | undefined): 'running' | 'failed' | 'unknown' | undefined {
  if (noted === 'failed' || noted === 'unknown' || noted === 'running') return noted;
  if (noted !== undefined || !job) return undefined;
  if (isTrue(job, 'Failed')) return 'failed';
  return (job.status?.active ?? 0) > 0 ? 'running' : undefined;
}
