import type { Look } from '../../shared/handler.ts';
import { Volume } from './kinds.ts';
import { claimsOf, type Pair } from './machines.ts';

/** Claims that the validator of storage-network does not count (Harvester pkg/webhook/resources/setting/validator.go). */
const SYSTEM = /prometheus|alertmanager|grafana|vm-import/;

const LONGHORN = 'longhorn-system';

/** Whether a volume that is not seen is not there. */
export const areVolumesSeen = (look: Look) => look.captured(Volume, LONGHORN);

/** Attached volumes that count, as `namespace/claim`, or the volume's own name where nothing says whose it is. */
export async function attached(look: Look): Promise<readonly string[]> {
  const volumes = await look.list(Volume, { namespace: LONGHORN });
  return volumes
    .filter(({ status }) => status?.state !== undefined && status.state !== 'detached')
    .map(({ metadata, status }) => {
      const { namespace, pvcName } = status?.kubernetesStatus ?? {};
      return namespace && pvcName ? `${namespace}/${pvcName}` : metadata.name;
    })
    .filter((name) => !SYSTEM.test(name))
    .sort();
}

/** Attached volumes that these machines do not hold: they would be refused next, and the machines stopped for nothing. */
export async function otherVolumes(look: Look, machines: readonly Pair[]): Promise<readonly string[]> {
  const held = new Set(machines.flatMap(({ vm }) => claimsOf(vm)));
  return (await attached(look)).filter((name) => !held.has(name));
}
