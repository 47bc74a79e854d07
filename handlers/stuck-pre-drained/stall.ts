import { saw } from '../../shared/handler.ts';
import { drainOf } from './budgets.ts';
import { afterDrain } from './causes/after-drain.ts';
import { drainCause } from './causes/drain.ts';
import { hostCause } from './causes/host.ts';
import { earlierAttempt, machineDeleted, virtualAddress } from './causes/rancher.ts';
import type { Phase } from './finding.ts';
import { isReady, MINUTE, type Sight } from './sight.ts';
import { LONG, SOFT, type Told } from './told.ts';

/** What holds a Pre-drained node up: the most specific cause that the picture shows, else `unknown` with the phase. */
export async function stallOf(sight: Sight): Promise<Told> {
  const after = afterDrain(sight) ?? (await machineDeleted(sight));
  if (after) return after;
  if (phaseOf(sight) === 'P3') return onHost(sight);
  const drain = await drainOf(sight.look, sight.name);
  const draining = await drainCause(sight, drain);
  if (draining) return draining;
  if (phaseOf(sight) === 'P2') return unknown(sight, 'P2c');
  return (await elsewhere(sight)) ?? (isOnHost(sight) ? hostCause(sight) : unknown(sight, 'unseen'));
}

const elsewhere = async (sight: Sight) => (await earlierAttempt(sight)) ?? (await virtualAddress(sight));

/** What Rancher says comes first; the virtual IP and an earlier plan explain what its host may not be blamed for. */
async function onHost(sight: Sight): Promise<Told> {
  const host = await hostCause(sight);
  return host.cause === 'unknown' ? ((await elsewhere(sight)) ?? host) : host;
}

function phaseOf({ waiting }: Sight): Phase | undefined {
  switch (waiting?.for) {
    case 'drain':
    case 'drain-error':
      return 'P2';
    case 'drained':
    case 'plan':
    case 'plan-failed':
    case 'probes':
    case 'kubelet':
    case 'agent':
      return 'P3';
    case 'uncordon':
      return 'P4';
    case undefined:
      return undefined;
  }
}

/** Nobody says that it is drained still, and its kubelet is silent, or is the new one already. */
function isOnHost({ node, nodes, cluster }: Sight): boolean {
  if (!node) return false;
  const own = node.status?.nodeInfo?.kubeletVersion;
  const isNew = own !== undefined && nodes.some((one) => (one.status?.nodeInfo?.kubeletVersion ?? own) !== own);
  return !isReady(node) || isNew || (own !== undefined && own === cluster?.spec?.kubernetesVersion);
}

function unknown({ upgrade, name, waiting, node, dwell }: Sight, phase: Phase): Told {
  const isLong = dwell !== undefined && dwell >= LONG;
  const minutes = dwell === undefined ? undefined : Math.floor(dwell / MINUTE);
  return {
    class: phase,
    cause: 'unknown',
    confidence: isLong ? 'probable' : 'suspected',
    because: `Node ${name} has been Pre-drained ${minutes === undefined ? 'for nobody knows how long' : `for ${minutes} minutes`}, and nothing in the picture tells why`,
    evidence: [
      saw(upgrade, 'status.nodeStatuses', 'what the Upgrade says of its nodes'),
      ...(waiting ? [waiting.seen] : []),
      ...(node ? [saw(node, 'status.conditions', 'what the node says of itself')] : []),
    ],
    objects: [],
    patience: SOFT,
  };
}
