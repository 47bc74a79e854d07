import type { Drill, Hands } from '../../shared/drill.ts';
import { kubeVip, kubeVipPods, SILENT } from './kube-vip.ts';
import { SYSTEM } from './nodes.ts';

/**
 * kube-vip falls silent on every node at once: its pods say that they are ready, nobody renews the Lease, and the
 * address does not answer. A pod that is made anew speaks again.
 */
async function silence(hands: Hands): Promise<void> {
  for (const { metadata } of await kubeVipPods(hands)) {
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace: SYSTEM, name: metadata.name };
    await hands.merge(pod, { metadata: { annotations: { [SILENT]: 'true' } } });
  }
  hands.vip(false);
}

const drill: Drill = {
  mode: 'node-not-ready',
  on: 'harvester',
  title: 'Let kube-vip fall silent: the virtual IP does not answer',
  healthy: [],
  break: silence,
  actors: [kubeVip],
};
export default drill;
