import type { Drill, Hands } from '../../shared/drill.ts';
import { end, harvesterUpgrade, taint } from './drill/harvester-upgrade.ts';
import { healthy, image, KUBEVIRT, MACHINES, upgrade } from './drill/objects.ts';
import { rancherDrain, say } from './drill/rancher.ts';
import { HOOKS, hook, nodeRef, upgradeNow, upgradeRef } from './drill/records.ts';
import { virtOperator } from './drill/virt-operator.ts';
import { SYSTEM } from './sight.ts';

const ROLES = ['control-plane', 'etcd', 'master'].map((role) => `node-role.kubernetes.io/${role}`);

/** One control-plane node and two workers are upgraded to v1.4.2-rc1, whose KubeVirt pins its control plane. */
async function startUpgrade(hands: Hands): Promise<void> {
  for (const [index, [node, machine]] of MACHINES.entries()) {
    const labels = index === 0 ? {} : Object.fromEntries(ROLES.map((role) => [role, null]));
    const annotations = { 'cluster.x-k8s.io/machine': machine, 'cluster.x-k8s.io/cluster-namespace': 'fleet-local' };
    await hands.merge(nodeRef(node), { metadata: { labels, annotations } });
  }
  const operator = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: SYSTEM, name: 'virt-operator' };
  const containers = [{ name: 'virt-operator', image: image('virt-operator', KUBEVIRT.after) }];
  await hands.merge(operator, { spec: { template: { spec: { containers } } } });
  await hands.create(upgrade());
  await hands.merge(upgradeRef, upgrade());
}

/** The upgrade comes to its end, whatever is left of it. */
async function endUpgrade(hands: Hands): Promise<void> {
  const now = await upgradeNow(hands);
  if (!now) return;
  const nodeStatuses = Object.fromEntries(MACHINES.map(([node]) => [node, { state: 'Succeeded' }]));
  await hands.merge(upgradeRef, { status: { nodeStatuses } });
  await end(hands, now);
  for (const [node] of MACHINES) {
    await hands.merge(nodeRef(node), { spec: { unschedulable: null } });
    await taint(hands, node, false);
    await hook(hands, node, Object.fromEntries(Object.values(HOOKS).map((name) => [name, null])));
    await say(hands, node, undefined, undefined);
  }
}

const drill: Drill = {
  mode: 'stuck-pre-drained',
  on: 'harvester',
  title: 'Upgrade a cluster with one control-plane node to v1.4.2-rc1',
  healthy,
  break: startUpgrade,
  actors: [virtOperator, harvesterUpgrade, rancherDrain],
  afterwards: endUpgrade,
};
export default drill;
