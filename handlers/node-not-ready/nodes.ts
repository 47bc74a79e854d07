import type { Look } from '../../shared/handler.ts';
import { conditionOf, isTrue, type Node, type Upgrade } from '../../shared/kinds.ts';
import type { Margin } from './finding.ts';

export const SYSTEM = 'harvester-system';
export const MINUTE = 60_000;
/** How long a node must be so before it is told (medik8s NodeHealthCheck proposes after 300 s, too). */
export const PATIENCE = 5 * MINUTE;
/** How long an upgrade may keep a node away. */
export const UPGRADE_PATIENCE = 30 * MINUTE;
export const MAINTENANCE = 'harvesterhci.io/maintain-status';
export const PROMOTION = 'harvesterhci.io/promote-status';

export const isReady = (node: Node) => isTrue(node, 'Ready');
export const isCordoned = ({ spec }: Node) => spec?.unschedulable === true;

const hasRole = ({ metadata }: Node, ...roles: readonly string[]) =>
  roles.some((role) => (metadata.labels[`node-role.kubernetes.io/${role}`] ?? 'false') !== 'false');
export const isControlPlane = (node: Node) => hasRole(node, 'control-plane', 'master');
const isMember = (node: Node) => hasRole(node, 'etcd', 'control-plane', 'master');

/** The milliseconds since a time that an object tells; undefined where it tells none. */
export function since(look: Look, time: string | undefined): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : look.at.getTime() - at;
}

/** For how long the node has not been Ready. */
export const silentFor = (look: Look, node: Node) => since(look, conditionOf(node, 'Ready')?.lastTransitionTime);

/** How many further members etcd may lose. The node is counted as lost. Its members are not objects of their own. */
export function marginOf(nodes: readonly Node[], lost: Node): Margin {
  const members = nodes.filter(isMember);
  if (!isMember(lost)) return 'some';
  if (members.length === 0) return 'unknown';
  const ready = members.filter((node) => isReady(node) && node.metadata.name !== lost.metadata.name).length;
  return ready - (Math.floor(members.length / 2) + 1) > 0 ? 'some' : 'none';
}

/** The state in which the live upgrade, while it works on nodes, has the node. */
export function upgradeStateOf(upgrade: Upgrade | undefined, node: string): string | undefined {
  return upgrade?.status?.nodeStatuses?.[node]?.state;
}

/** Nodes that an upgrade takes away for a while, on purpose. */
export const AWAY: readonly string[] = ['Pre-draining', 'Pre-drained', 'Post-draining', 'Waiting Reboot'];

/** Whether somebody is known to work on the node: then its state is no fault. */
export const isInMaintenance = ({ metadata }: Node) => metadata.annotations[MAINTENANCE] !== undefined;
