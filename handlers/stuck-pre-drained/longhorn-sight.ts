import type { Evidence } from '../../shared/handler.ts';
import { saw } from '../../shared/handler.ts';
import { Pod } from '../../shared/kinds.ts';
import type { Block } from './budgets.ts';
import { VirtualMachineInstance } from './kinds.ts';
import { Attachment, Engine, InstanceManager, Replica, Volume } from './longhorn-kinds.ts';
import type { Sight } from './sight.ts';

export const LONGHORN = 'longhorn-system';

/** Longhorn's side of a blocked drain: what it keeps on the node. */
export interface LonghornSight {
  readonly node: string;
  readonly blocks: readonly Block[];
  readonly volumes: readonly Volume[];
  readonly replicas: readonly Replica[];
  readonly engines: readonly Engine[];
  readonly managers: readonly InstanceManager[];
  readonly attachments: readonly Attachment[];
  /** Whether the picture holds every volume, and so a volume that is not there does not exist. */
  readonly seesVolumes: boolean;
  readonly seesEngines: boolean;
  /** Whether a VM still runs on the node. */
  readonly hasMachines: boolean;
  /** Longhorn's pods, on any node. */
  readonly pods: readonly Pod[];
  readonly log: readonly string[];
  readonly evidence: readonly Evidence[];
}

const isLonghorns = ({ budget }: Block) => budget.metadata.namespace === LONGHORN;
const isManagerPod = (pod: string) => pod.startsWith(`${LONGHORN}/instance-manager`);

/** Looks at Longhorn where one of its budgets, or a pod of it that a failed drain names, holds the node up. */
export async function longhornOf(sight: Sight, blocks: readonly Block[]): Promise<LonghornSight | undefined> {
  const { look, name, waiting } = sight;
  const own = blocks.filter(isLonghorns);
  if (own.length === 0 && !waiting?.pods.some(isManagerPod)) return undefined;
  const all = { namespace: LONGHORN };
  const machines = await look.list(VirtualMachineInstance);
  return {
    node: name,
    blocks: own,
    volumes: await look.list(Volume, all),
    replicas: await look.list(Replica, all),
    engines: await look.list(Engine, all),
    managers: await look.list(InstanceManager, all),
    attachments: await look.list(Attachment, all),
    seesVolumes: await look.captured(Volume, LONGHORN),
    seesEngines: await look.captured(Engine, LONGHORN),
    hasMachines: machines.some(({ status }) => status?.nodeName === name && status.phase === 'Running'),
    pods: await look.list(Pod, all),
    log: await logOf(sight),
    evidence: [
      ...own.map(({ budget }) => saw(budget, 'status.disruptionsAllowed', 'this budget lets no pod of the node go')),
      ...(own.length === 0 && waiting ? [waiting.seen] : []),
    ],
  };
}

async function logOf({ look }: Sight): Promise<readonly string[]> {
  const pods = await look.list(Pod, { namespace: LONGHORN, labels: { app: 'longhorn-manager' } });
  const names = pods.map(({ metadata }) => metadata.name).sort();
  const logs = names.map((name) =>
    look.log({ namespace: LONGHORN, name }, { container: 'longhorn-manager', tail: 2000 }),
  );
  return (await Promise.all(logs)).flatMap((lines) => lines ?? []);
}
