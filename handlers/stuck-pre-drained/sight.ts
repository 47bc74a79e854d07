import type { Evidence, Look } from '../../shared/handler.ts';
import { saw } from '../../shared/handler.ts';
import { conditionOf, isTrue, Job, Node, type Of, type Upgrade } from '../../shared/kinds.ts';
import { ControlPlane, Machine, ProvisioningCluster } from './kinds.ts';
import { machinesIn, messageOf, type Waiting, waitingOf } from './planner-message.ts';

export const SYSTEM = 'harvester-system';
export const FLEET = 'fleet-local';
export const MINUTE = 60_000;
export const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

type Cluster = Of<typeof ProvisioningCluster>;
type SomeJob = Of<typeof Job>;

/** A node that an upgrade calls Pre-drained (or Pre-draining), with what all rules ask about it. */
export interface Sight {
  readonly look: Look;
  readonly upgrade: Upgrade;
  /** The node's name: its object may not be in the picture. */
  readonly name: string;
  readonly node: Node | undefined;
  readonly nodes: readonly Node[];
  readonly preDrain: SomeJob | undefined;
  readonly postDrain: SomeJob | undefined;
  readonly machine: Machine | undefined;
  readonly cluster: Cluster | undefined;
  /** What Rancher waits for, and where it says so. */
  readonly waiting: (Waiting & { readonly seen: Evidence }) | undefined;
  /** For how long, in milliseconds, the node has been Pre-drained; undefined: nothing tells. */
  readonly dwell: number | undefined;
}

export async function sightOf(look: Look, upgrade: Upgrade, name: string): Promise<Sight> {
  const nodes = await look.list(Node);
  const node = nodes.find(({ metadata }) => metadata.name === name);
  const machine = await machineOf(look, name, node);
  const cluster = await look.get(ProvisioningCluster, { namespace: FLEET, name: 'local' });
  const preDrain = await jobOf(look, upgrade, name, 'pre-drain');
  return {
    ...{ look, upgrade, name, node, nodes, machine, cluster, preDrain },
    postDrain: await jobOf(look, upgrade, name, 'post-drain'),
    waiting: await plannerOf(look, upgrade, machine, cluster),
    dwell: since(look, preDrain?.status?.completionTime),
  };
}

/** The milliseconds since a time that an object tells; undefined where it tells none. */
export function since(look: Look, time: string | undefined): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : look.at.getTime() - at;
}

/** Names of jobs are shortened and hashed: they are found by their labels. */
async function jobOf(look: Look, { metadata }: Upgrade, node: string, type: string): Promise<SomeJob | undefined> {
  const labels = {
    'harvesterhci.io/upgrade': metadata.name,
    'harvesterhci.io/node': node,
    'harvesterhci.io/upgradeJobType': type,
  };
  const jobs = await look.list(Job, { namespace: SYSTEM, labels });
  return [...jobs].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

async function machineOf(look: Look, name: string, node: Node | undefined): Promise<Machine | undefined> {
  const machines = await look.list(Machine, { namespace: FLEET });
  const named = node?.metadata.annotations['cluster.x-k8s.io/machine'];
  return (
    machines.find(({ metadata }) => metadata.name === named) ??
    machines.find(({ status, metadata }) => status?.nodeRef?.name === name && !metadata.deletionTimestamp)
  );
}

/** The conditions of a Machine: Rancher 2.14 and newer writes the old ones to a second place. */
const conditionsOf = ({ status }: Machine) => [
  ...(status?.conditions ?? []),
  ...(status?.deprecated?.v1beta1?.conditions ?? []),
];

/** The machine's own message, else the cluster's where it speaks of this node and of no other one. */
async function plannerOf(
  look: Look,
  upgrade: Upgrade,
  machine: Machine | undefined,
  cluster: Cluster | undefined,
): Promise<Sight['waiting']> {
  const own = machine && messageOf(conditionsOf(machine), 'Reconciled');
  const ownWaiting = own === undefined ? undefined : waitingOf(own);
  if (machine && ownWaiting) {
    return { ...ownWaiting, seen: saw(machine, 'status.conditions', `Rancher waits at this node: ${own}`) };
  }
  const controlPlane = await look.get(ControlPlane, { namespace: FLEET, name: 'local' });
  for (const object of [cluster, controlPlane]) {
    const message =
      object && messageOf(object.status?.conditions ?? [], 'Updated', 'Provisioned', 'Ready', 'Reconciled');
    const waiting = message === undefined ? undefined : waitingOf(message);
    if (!object || !waiting || message === undefined) continue;
    if (!isAbout(machinesIn(message), machine, upgrade)) continue;
    return { ...waiting, seen: saw(object, 'status.conditions', `Rancher waits: ${message}`) };
  }
  return undefined;
}

/** One node at a time is drained: where no Machine is known, a message about one machine is about that node. */
function isAbout(named: readonly string[], machine: Machine | undefined, upgrade: Upgrade): boolean {
  if (machine) return named.length === 0 || named.includes(machine.metadata.name);
  return named.length <= 1 && underWay(upgrade).length <= 1;
}

const UNDER_WAY = ['Pre-draining', 'Pre-drained', 'Post-draining', 'Waiting Reboot'];

/** The nodes that are between the first hook and the reboot; with Rancher's concurrency of 1 there is one. */
export const underWay = ({ status }: Upgrade): readonly string[] =>
  Object.entries(status?.nodeStatuses ?? {})
    .filter(([, { state }]) => UNDER_WAY.includes(state ?? ''))
    .map(([name]) => name)
    .sort();

export const isReady = (node: Node) => isTrue(node, 'Ready');
export const isControlPlane = ({ metadata }: Node) =>
  metadata.labels[CONTROL_PLANE] === 'true' || metadata.labels['node-role.kubernetes.io/master'] === 'true';
export const isCordoned = ({ spec }: Node) => spec?.unschedulable === true;

/** Another node that has not been Ready for minutes, and that nobody works on: its trouble comes first. */
export const deadNeighbour = ({ look, nodes, name, upgrade }: Sight): Node | undefined =>
  nodes.find((node) => {
    const ready = conditionOf(node, 'Ready');
    const isOut = node.metadata.annotations['harvesterhci.io/maintain-status'] !== undefined;
    if (node.metadata.name === name || !ready || ready.status === 'True' || isOut) return false;
    const isUpgrading = underWay(upgrade).includes(node.metadata.name);
    return !isUpgrading && (since(look, ready.lastTransitionTime) ?? MINUTE) >= MINUTE;
  });
