import * as z from 'zod';
import type { Actor, Hands } from '../../../shared/drill.ts';
import type { ObjectRef } from '../../../shared/handler.ts';
import type { PreDrained } from './pre-drained.ts';
import { components, namespace, onControlPlane } from './pre-drained-objects.ts';
import { machine, upgrade } from './upgrade-records.ts';

const kubeVirt: ObjectRef = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', namespace, name: 'kubevirt' };
const upgradeRef: ObjectRef = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Upgrade', namespace, name: upgrade };
const machineRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Machine',
  namespace: 'fleet-local',
  name: machine,
};
const GENERATION = 'kubevirt.io/generation';

const KubeVirt = z.object({
  metadata: z.object({ generation: z.number() }),
  spec: z.object({ infra: z.object({ nodePlacement: z.unknown() }).partial().optional() }),
});
const Deployment = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
});

/**
 * virt-operator, as far as placement goes: it writes the generation of the KubeVirt object on what it makes of it, and
 * pins the control plane to its nodes where no placement is set, not even an empty one; virt-api first.
 */
export const virtOperator: Actor = {
  name: 'virt-operator',
  plays: 'kubevirt v1.3.1: pkg/virt-operator/resource/apply/{apps,reconcile}.go, InjectPlacementMetadata',
  async act(hands) {
    const { metadata, spec } = KubeVirt.parse(await hands.get(kubeVirt));
    const placement = spec.infra?.nodePlacement;
    for (const name of components) {
      const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
      const deployment = Deployment.parse(await hands.get(ref));
      if (deployment.metadata.annotations?.[GENERATION] === String(metadata.generation)) continue;
      const annotations = { [GENERATION]: String(metadata.generation) };
      const nodeAffinity = placement === undefined || placement === null ? onControlPlane : null;
      await hands.merge(ref, {
        metadata: { annotations },
        spec: { template: { spec: { affinity: { nodeAffinity } } } },
      });
      return;
    }
  },
};

/** Rancher, which drains the node again and again and then upgrades it, and Harvester, which goes on when it did. */
export function rancher(incident: Pick<PreDrained, 'pods' | 'evict' | 'node'>): Actor {
  return {
    name: 'Rancher',
    plays: 'rancher pkg/capr/planner/drain.go; harvester pkg/controller/master/upgrade/node_controller.go',
    async act(hands) {
      const pods = (await Promise.all(components.map(incident.pods))).flat();
      const held = pods.filter(({ node }) => node === incident.node);
      if (held.length === 0) return goOn(hands, incident.node);
      for (const { name } of held) await incident.evict(name);
    },
  };
}

async function goOn(hands: Hands, node: string): Promise<void> {
  const conditions = [{ type: 'Reconciled', status: 'True', message: '' }];
  await hands.merge(machineRef, { status: { conditions } }, 'status');
  await hands.merge(upgradeRef, { status: { nodeStatuses: { [node]: { state: 'Post-draining' } } } });
}

/** The end of the upgrade: only then may the placement be taken back. */
export const succeed = (hands: Hands): Promise<void> =>
  hands.merge(upgradeRef, { metadata: { labels: { 'harvesterhci.io/upgradeState': 'Succeeded' } } });
