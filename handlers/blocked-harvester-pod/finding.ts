import * as z from 'zod';
import { ObjectRef } from '../../shared/handler.ts';

/**
 * One virtual machine that counts as not stopped. `how` it would be stopped: `call` of virt-api's `stop`, which leaves
 * its spec alone; `patch` of its run strategy, where `stop` would be refused or would change the spec itself;
 * `wait`, where it is on its way down already. `ran`: it ran, so it must run again afterwards.
 */
export const Machine = z.object({
  vm: ObjectRef,
  strategy: z.string(),
  /** The field of the spec that says so. */
  field: z.enum(['runStrategy', 'running']),
  how: z.enum(['call', 'patch', 'wait']),
  ran: z.boolean(),
  paused: z.boolean(),
  /** Whether its run strategy, put back, does not start it: KubeVirt 1.2.2 waits for a start request. */
  needsStart: z.boolean(),
  /** Seconds that the guest is given to shut down. */
  grace: z.number(),
  /** The manifest of RKE2 that owns it. */
  manifest: z.string().nullable(),
});
export type Machine = z.infer<typeof Machine>;

/** What forbids to stop the machines; `what` is the name that the sentence needs. */
export const Obstacle = z.object({
  why: z.enum([
    'machines-unseen',
    'setting-unseen',
    'too-many',
    'backup',
    'migration',
    'webhook-down',
    'virt-api-down',
    'manifest-reverts',
    'other-volume',
    'strategy-unclear',
    'version-unknown',
  ]),
  what: z.string(),
});
export type Obstacle = z.infer<typeof Obstacle>;

const common = { deployment: ObjectRef };

/** The setting storage-network is refused because machines are not stopped. */
export const Machines = z.object({
  class: z.literal('machines'),
  ...common,
  machines: z.array(Machine),
  obstacles: z.array(Obstacle),
});
export type Machines = z.infer<typeof Machines>;

/** The same denial for another reason: attached volumes, the vcluster add-on, or a VM with both run fields. */
const OtherDenialClass = z.enum(['volumes', 'vcluster', 'strategy-conflict']);
export type OtherDenialClass = z.infer<typeof OtherDenialClass>;
const OtherDenial = z.object({
  class: OtherDenialClass,
  ...common,
  /** The volumes as `namespace/claim`, or the VM. */
  objects: z.array(z.string()),
});

/** No node takes the pods. */
export const NoNode = z.object({
  class: z.enum(['all-cordoned', 'disk-pressure', 'evicted']),
  ...common,
  /** The nodes that are closed. */
  nodes: z.array(z.string()),
  /** Whether harvester-webhook, which must allow changes of nodes, is down too. */
  isWebhookDown: z.boolean(),
});
export type NoNode = z.infer<typeof NoNode>;

/** Why the process does not come up, where it is not the setting storage-network. */
export const Ending = z.enum([
  'setting-denied',
  'webhook-silent',
  'webhook-unregistered',
  'webhook-untrusted',
  'bootstrap-denied',
  'migration-network',
  'template-invalid',
  'not-an-iso-install',
  'api-unreachable',
  'panic',
  'out-of-memory',
  'image',
  'crash',
]);
export type Ending = z.infer<typeof Ending>;
const Process = z.object({ class: Ending, ...common });

/** What was found. Nothing in it moves with restarts, heartbeats, or machines that are stopped. */
export const Finding = z.discriminatedUnion('class', [Machines, OtherDenial, NoNode, Process]);
export type Finding = z.infer<typeof Finding>;
