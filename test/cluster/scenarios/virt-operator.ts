import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Bed } from '../bed/start-bed.ts';
import type { PreDrained } from './pre-drained.ts';
import { components, namespace } from './pre-drained-objects.ts';

const kubeVirtSchema = z.object({
  spec: z.object({ infra: z.object({ nodePlacement: z.unknown() }).partial().optional() }),
});

/**
 * Plays the part of virt-operator that ends the incident: once the KubeVirt object has a node placement, even an empty
 * one, the Deployments lose their affinity to the control plane (kubevirt v1.3.1
 * pkg/virt-operator/resource/apply/reconcile.go InjectPlacementMetadata). Works until the bed stops.
 */
export function playVirtOperator(bed: Bed, incident: Pick<PreDrained, 'loseAffinity'>): void {
  const over = new AbortController();
  const done = work(bed, incident, over.signal);
  bed.onStop(() => {
    over.abort();
    return done;
  });
}

async function work(bed: Bed, incident: Pick<PreDrained, 'loseAffinity'>, over: AbortSignal): Promise<void> {
  let placed = false;
  while (!over.aborted && !placed) {
    placed = await hasPlacement(bed).catch(() => false);
    if (placed) for (const component of components) await incident.loseAffinity(component);
    else await pause(250, undefined, { signal: over }).catch(() => undefined);
  }
}

async function hasPlacement(bed: Bed): Promise<boolean> {
  const { body } = await bed.request('GET', `/apis/kubevirt.io/v1/namespaces/${namespace}/kubevirts/kubevirt`);
  const placement = kubeVirtSchema.parse(body).spec.infra?.nodePlacement;
  return placement !== undefined && placement !== null;
}
