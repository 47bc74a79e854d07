import type { Actor, Hands } from '../../shared/drill.ts';
import type { ObjectRef } from '../../shared/handler.ts';
import { isTrue, Lease, Pod } from '../../shared/kinds.ts';
import { SYSTEM } from './nodes.ts';
import { LEASE } from './vip-sight.ts';

/** What the drill writes on a pod that fell silent: its successor does not have it. */
export const SILENT = 'drill.gleaner.dev/silent';
const LABELS = { 'app.kubernetes.io/name': 'kube-vip' };
const ref: ObjectRef = { apiVersion: Lease.apiVersion, kind: Lease.kind, ...LEASE };

/** kube-vip's own: a Lease is good for five seconds, and its leader renews it every two. */
const DURATION = 5_000;
const RENEW = 2_000;

export async function kubeVipPods(hands: Hands): Promise<readonly Pod[]> {
  const pods = (await hands.list(Pod, { namespace: SYSTEM, labels: LABELS })).map((pod) => Pod.schema.parse(pod));
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => ((a.spec?.nodeName ?? '') < (b.spec?.nodeName ?? '') ? -1 : 1));
}

const speaks = (pod: Pod) => isTrue(pod, 'Ready') && pod.metadata.annotations[SILENT] === undefined;

/**
 * Plays kube-vip with leader election: the leader renews its Lease and announces the address; where a Lease has run
 * out, another pod takes it. A pod that fell silent does neither, and says that it is ready (harvester/harvester#11584).
 */
export const kubeVip: Actor = {
  name: 'kube-vip',
  plays:
    'kube-vip pkg/manager (leader election on the Lease plndr-svcs-lock, duration 5 s), one pod per control-plane node',
  async act(hands) {
    const pods = (await kubeVipPods(hands)).filter(speaks);
    const found = await hands.get(ref);
    const lease = found && Lease.schema.parse(found);
    const age = hands.now().getTime() - (Date.parse(lease?.spec?.renewTime ?? '') || 0);
    const leader = pods.find((pod) => pod.spec?.nodeName === lease?.spec?.holderIdentity);
    const next = leader ?? (age > DURATION ? pods[0] : undefined);
    if (!next) return;
    if (!leader || age >= RENEW) await lead(hands, next, lease !== undefined);
    hands.vip(true);
  },
};

async function lead(hands: Hands, pod: Pod, isThere: boolean): Promise<void> {
  const renewTime = hands.now().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: pod.spec?.nodeName ?? '', leaseDurationSeconds: DURATION / 1000, renewTime };
  if (isThere) await hands.merge(ref, { spec });
  else await hands.create({ apiVersion: ref.apiVersion, kind: ref.kind, metadata: { ...LEASE }, spec });
}
