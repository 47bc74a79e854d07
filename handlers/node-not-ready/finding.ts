import * as z from 'zod';
import { ObjectRef } from '../../shared/handler.ts';

/** How many members etcd may lose and still have its quorum: none left, or some. */
const Margin = z.enum(['none', 'some', 'unknown']);
export type Margin = z.infer<typeof Margin>;

/** The steps of the decision tree that end at a node (fact sheet B.2.1). */
const NodeClass = z.enum([
  'NODE_UNREACHABLE',
  'CNI',
  'RUNTIME',
  'DISK',
  'KUBELET',
  'PRESSURE_memory',
  'PRESSURE_disk',
  'PRESSURE_pid',
]);

const OnNode = z.object({
  about: z.literal('node'),
  class: NodeClass,
  cause: z.string(),
  node: ObjectRef,
  role: z.enum(['control-plane', 'worker']),
  margin: Margin,
});
export type OnNode = z.infer<typeof OnNode>;

/** A promotion that failed, vanished or hangs. `job` is the promotion's Job, where it is there. */
const Promotion = z.object({
  about: z.literal('promotion'),
  class: z.literal('PROMOTION'),
  node: ObjectRef,
  state: z.enum(['running', 'failed', 'unknown']),
  job: ObjectRef.nullable(),
});

/** Old consoles that show NotReady although all is well. */
const Console = z.object({
  about: z.literal('console'),
  class: z.literal('CONSOLE_FALSE_ALARM'),
  nodes: z.array(z.string()),
});

/**
 * The virtual IP. `silent-leader`: its leader's pod is ready and renews its Lease no more. `silent-unsure`: the same,
 * but something is missing for a touch. The others are for a person.
 */
const Vip = z.object({
  about: z.literal('vip'),
  class: z.literal('VIP'),
  fault: z.enum(['silent-leader', 'silent-unsure', 'service-lost', 'address-differs', 'no-pod', 'taken', 'unanswered']),
  cause: z.string(),
  lease: ObjectRef,
  /** The node that leads, where the Lease names one. */
  holder: z.string().nullable(),
  /** The leader's pod: the plan deletes that very one. */
  pod: ObjectRef.nullable(),
  /** Whether another control-plane node is Ready and could lead meanwhile. */
  hasStandby: z.boolean(),
  /** Why a silent leader's pod is not deleted. */
  unsure: z.enum(['not-probed', 'still-answers', 'no-pod-seen', 'holder-unfit']).nullable(),
});
export type Vip = z.infer<typeof Vip>;

/** What was found. It holds no times, counts or messages; a pod's name only where the plan deletes that pod. */
export const Finding = z.discriminatedUnion('about', [OnNode, Promotion, Console, Vip]);
export type Finding = z.infer<typeof Finding>;
