import type { Confidence } from '../../../shared/handler.ts';
import type { Node, Upgrade } from '../../../shared/kinds.ts';
import { isBefore } from '../../../shared/versions.ts';
import { AWAY, isControlPlane, isInMaintenance, isReady, upgradeStateOf } from '../nodes.ts';
import type { Sight } from '../sight.ts';
import type { CauseName } from '../upstream.ts';

/** Why a node fell silent, as far as other objects tell. */
export interface Why {
  readonly cause: CauseName;
  readonly confidence: Confidence;
  readonly because: string;
}

/** The most specific cause of a silent node; the API alone seldom tells one. */
export function whySilent(sight: Sight, node: Node): Why {
  return (
    addressChanged(node) ??
    afterReboot(sight, node) ??
    afterUpgrade(sight, node) ??
    worker(sight, node) ?? {
      cause: 'unknown',
      confidence: 'certain',
      because: 'its kubelet posts no status: the host, its network or RKE2 on it has stopped',
    }
  );
}

/** Where RKE2 and the network plugin noted the node's address. */
const NOTED = ['etcd.rke2.cattle.io/node-address', 'flannel.alpha.coreos.com/public-ip'];

function addressChanged({ metadata, status }: Node): Why | undefined {
  const own = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const noted = NOTED.map((key) => metadata.annotations[key]).find((address) => address && !own.includes(address));
  if (own.length === 0 || noted === undefined) return undefined;
  return {
    cause: 'node-ip-changed',
    confidence: 'probable',
    because: `its address is ${own.join(', ')} and was noted as ${noted}: etcd and the other nodes still use the old one`,
  };
}

function afterReboot({ upgrade }: Sight, node: Node): Why | undefined {
  const state = upgradeStateOf(upgrade, node.metadata.name);
  const isPending = node.metadata.annotations['harvesterhci.io/pendingOSImage'] !== undefined;
  if (state !== 'Waiting Reboot' && !isPending) return undefined;
  return {
    cause: 'node-does-not-rejoin-after-reboot',
    confidence: 'certain',
    because: 'the upgrade rebooted it more than half an hour ago, and it did not come back',
  };
}

/** fact: harvester/harvester#11634, ARM nodes with the RKE2 of v1.9. */
function afterUpgrade({ latest }: Sight, node: Node): Why | undefined {
  const target = latest?.spec?.version;
  const isNew = isBefore(target?.replace(/^(v\d+\.\d+)(?!\.\d)/, '$1.0'), '1.9.0-alpha1') === false;
  if (upgradeStateOf(latest, node.metadata.name) !== 'Succeeded' || !isNew) return undefined;
  const arch = node.status?.nodeInfo?.architecture ?? node.metadata.labels['kubernetes.io/arch'];
  if (arch !== undefined && arch !== 'arm64') return undefined;
  return {
    cause: 'upgraded-node-not-ready-arm',
    confidence: arch === undefined ? 'suspected' : 'probable',
    because: `it was upgraded to ${target} and is not Ready since${arch === undefined ? '; whether it is an ARM node is not in the picture' : ''}`,
  };
}

/** A worker follows the control-plane node that it talks to. */
function worker(sight: Sight, node: Node): Why | undefined {
  if (isControlPlane(node)) return undefined;
  const servers = sight.nodes.filter(isControlPlane);
  const away = servers.filter((one) => isAway(sight.upgrade, one) || isInMaintenance(one));
  const [first] = away;
  if (!first) return undefined;
  if (servers.length === 1) {
    return {
      cause: 'agent-lb-connectivity-lost',
      confidence: 'probable',
      because: `the only control-plane node ${first.metadata.name} is being upgraded, and this worker does not find the API server again`,
    };
  }
  if (away.every(isReady)) return undefined;
  return {
    cause: 'agent-pinned-to-failed-server',
    confidence: 'suspected',
    because: `${first.metadata.name} is away, others are there, and this worker fell silent: it may talk to that one only`,
  };
}

const isAway = (upgrade: Upgrade | undefined, { metadata }: Node) =>
  AWAY.includes(upgradeStateOf(upgrade, metadata.name) ?? '');
