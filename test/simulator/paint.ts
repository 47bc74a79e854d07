import type { JsonObject } from '../../shared/handler.ts';
import type { Principal } from '../../shared/model.ts';
import { type SimulatedCluster, simulatedCluster } from './cluster.ts';
import { paintMode } from './mode.ts';
import { memoryStore } from './store.ts';
import { type Driven, drivenWorld, POLICY } from './world.ts';

export const node = (labels: Record<string, string>, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node1', uid: 'u-node1', labels, annotations: { sound: 'yes' }, ...Object(more.metadata) },
});
export const BROKEN = node({ broken: 'true', colour: 'red' });
export const vm = (name: string, running = true, labels: JsonObject = { node: 'node1' }): JsonObject => ({
  apiVersion: 'example.test/v1',
  kind: 'Vm',
  metadata: { name, namespace: 'default', uid: `u-${name}`, labels },
  spec: { running },
});

export interface Painted extends Driven {
  /** How many people must approve, and the labels that say what else mending takes. */
  readonly quorum: number;
  readonly also: Record<string, string>;
  /** Who may approve now; a test may change it. */
  readonly approvers: Principal[];
  readonly cluster: SimulatedCluster;
  /** Lets the mode be looked at, through the settle window, until a proposal is open. */
  proposed(): Promise<string>;
  /** Approves the open proposal as `who` and lets everything run. */
  approve(proposal: string, who?: string, minutes?: number): Promise<void>;
}

/** A world with the pretend mode, a broken node and its VMs. */
export function paintWorld(
  objects: readonly JsonObject[] = [BROKEN, vm('vm1')],
  {
    quorum = 1,
    also = {},
    ...options
  }: Partial<Parameters<typeof drivenWorld>[0]> & { quorum?: number; also?: Record<string, string> } = {},
): Painted {
  const approvers = [...POLICY.approvers];
  let simulated: SimulatedCluster | undefined;
  const driven = drivenWorld({
    mode: paintMode,
    store: memoryStore(),
    policy: { ...POLICY, quorum, approvers },
    ...options,
    cluster: (now) => {
      simulated = simulatedCluster(now, (object, subresource) => ({
        ...object,
        spec: { running: subresource === 'start' },
      }));
      return simulated;
    },
  });
  if (!simulated) throw new Error('the world made no cluster');
  const cluster = simulated;
  for (const object of objects) cluster.set(object);

  return {
    ...driven,
    ...{ cluster, quorum, also, approvers },
    async proposed() {
      look(driven);
      await driven.settle(2);
      const open = (await driven.proposals()).find(({ state }) => state === 'open');
      if (!open) throw new Error('nothing was proposed');
      return open.id;
    },
    async approve(proposal, who = 'local:ann', minutes = 20) {
      const row = await driven.store.get('proposal', proposal);
      driven.click({
        choice: 'approve',
        proposal,
        who,
        plan: row?.item.found.offer.plans[0]?.id ?? 'mend',
        revision: row?.item.revision ?? '',
      });
      await driven.settle(minutes);
    },
  };
}

/** A change was seen: look at the mode. */
export const look = (driven: Driven) =>
  driven.publish({ fact: { event: 'observed', cluster: 'cluster-1', mode: 'paint', because: 'changed', objects: [] } });
