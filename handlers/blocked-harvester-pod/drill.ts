import type { Drill, Hands } from '../../shared/drill.ts';
import { Pod, Setting } from '../../shared/kinds.ts';
import { bootingHarvester } from './drill/booting-harvester.ts';
import { healthy, SYSTEM } from './drill/objects.ts';
import { virtApiCalls } from './drill/virt-api.ts';
import { longhorn, virtController } from './drill/virt-controller.ts';

/**
 * A first boot with VMs in its manifests, made from a cluster that is up: the setting is not there yet, and every pod of
 * Harvester starts anew. The webhook denies to delete the setting, so it takes hands to bring this about.
 */
async function breakHarvester(hands: Hands): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'harvester', 'app.kubernetes.io/component': 'apiserver' };
  await hands.remove({ apiVersion: Setting.apiVersion, kind: Setting.kind, name: 'storage-network' });
  for (const object of await hands.list(Pod, { namespace: SYSTEM, labels })) {
    const { metadata } = Pod.schema.parse(object);
    await hands.remove({ apiVersion: Pod.apiVersion, kind: Pod.kind, namespace: SYSTEM, name: metadata.name });
  }
}

const drill: Drill = {
  mode: 'blocked-harvester-pod',
  on: 'harvester',
  title: 'Start Harvester while VMs run and its storage-network setting is missing',
  healthy,
  break: breakHarvester,
  actors: [bootingHarvester(), virtController, longhorn],
  calls: virtApiCalls,
};
export default drill;
