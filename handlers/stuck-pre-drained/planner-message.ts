import type { Condition } from '../../shared/kinds.ts';

/** What Rancher's planner waits for on a node (rancher pkg/capr/planner/planner.go, drain.go and store.go). */
export interface Waiting {
  readonly for:
    | 'drain'
    | 'drain-error'
    | 'drained'
    | 'plan'
    | 'plan-failed'
    | 'probes'
    | 'kubelet'
    | 'agent'
    | 'uncordon';
  /** The probes it waits for, by component. */
  readonly probes: readonly string[];
  /** The pods that a failed drain names, as `namespace/name`. */
  readonly pods: readonly string[];
}

const TEXTS: readonly (readonly [RegExp, Waiting['for']])[] = [
  [/error draining machine/, 'drain-error'],
  [/drain completed/, 'drained'],
  [/failure while applying plan/, 'plan-failed'],
  [/waiting for plan to be applied/, 'plan'],
  [/waiting for probes/, 'probes'],
  [/waiting for kubelet to update/, 'kubelet'],
  [/waiting for cluster agent to connect/, 'agent'],
  [/waiting for uncordon/, 'uncordon'],
  [/draining node/, 'drain'],
];

/** Reads a message of the planner; undefined for one that says something else. */
export function waitingOf(message: string): Waiting | undefined {
  const found = TEXTS.find(([pattern]) => pattern.test(message));
  if (!found) return undefined;
  const probes = /waiting for probes: ([\w, -]+)/.exec(message)?.[1]?.split(',') ?? [];
  const pods = [...message.matchAll(/evicting pods\/"([^"]+)" -n "([^"]+)"/g)].map(([, pod, ns]) => `${ns}/${pod}`);
  return { for: found[1], probes: probes.map((probe) => probe.trim()).filter(Boolean), pods };
}

/** The machines that a message of the cluster names: `draining etcd node(s) custom-a,custom-b: …`; three at most. */
export const machinesIn = (message: string): readonly string[] =>
  /node\(s\) ([\w.-]+(?:,[\w.-]+)*)/.exec(message)?.[1]?.split(',') ?? [];

/** The message of a condition of one of these types that is not True. */
export const messageOf = (conditions: readonly Condition[], ...types: readonly string[]): string | undefined =>
  types
    .map((type) => conditions.find((one) => one.type === type && one.status !== 'True')?.message)
    .find((message) => message !== undefined && waitingOf(message) !== undefined);
