import { type Diagnosis, inWords, refOf, saw } from '../../../shared/handler.ts';
import { type Condition, conditionOf, type Node } from '../../../shared/kinds.ts';
import { isBefore } from '../../../shared/versions.ts';
import type { Finding, OnNode } from '../finding.ts';
import {
  AWAY,
  isControlPlane,
  isCordoned,
  isInMaintenance,
  marginOf,
  PATIENCE,
  silentFor,
  since,
  UPGRADE_PATIENCE,
  upgradeStateOf,
} from '../nodes.ts';
import type { Sight } from '../sight.ts';
import { promotion } from './promotion.ts';
import { type Why, whySilent } from './unreachable.ts';

const no = (because: string): Diagnosis<Finding> => ({ is: false, because });

/** The decision tree for one node; undefined where it is Ready and under no pressure. */
export async function onNode(sight: Sight, node: Node): Promise<Diagnosis<Finding> | undefined> {
  const name = node.metadata.name;
  if (isInMaintenance(node)) return no(`Node ${name} is in maintenance`);
  const promoting = await promotion(sight, node);
  if (promoting) return promoting;
  const ready = conditionOf(node, 'Ready');
  if (!ready) return no(`Node ${name} does not say whether it is Ready`);
  if (ready.status === 'True') return pressure(sight, node);
  const expected = whyExpected(sight, node);
  if (expected !== undefined) return no(expected);
  return ready.status === 'Unknown' ? unreachable(sight, node) : unhealthy(sight, node, ready);
}

/** Why it is no fault that the node is not Ready now. */
function whyExpected({ look, upgrade, seesUpgrades }: Sight, node: Node): string | undefined {
  const name = node.metadata.name;
  const silent = silentFor(look, node);
  const state = upgradeStateOf(upgrade, name);
  if (state === 'Pre-draining' || state === 'Pre-drained') {
    return `Node ${name} is ${state}: the upgrade drains it or restarts its RKE2, and a stall there is another failure`;
  }
  if (state !== undefined && AWAY.includes(state) && silent !== undefined && silent < UPGRADE_PATIENCE) {
    return `Node ${name} is ${state}: the upgrade restarts or reboots it, which may take half an hour (${inWords(silent)} now)`;
  }
  if (isCordoned(node) && !upgrade && seesUpgrades) return `Node ${name} was cordoned by somebody, and no upgrade runs`;
  if (silent !== undefined && silent < PATIENCE) {
    return `Node ${name} has not been Ready for ${inWords(silent)} only: nodes come back from such by themselves`;
  }
  return undefined;
}

async function unreachable(sight: Sight, node: Node): Promise<Diagnosis<Finding>> {
  const why = whySilent(sight, node);
  return told(sight, node, 'NODE_UNREACHABLE', why, `Node ${node.metadata.name} is silent`);
}

const MESSAGES: readonly (readonly [RegExp, OnNode['class'], string])[] = [
  [/network plugin|cni/i, 'CNI', 'its network plugin is not ready'],
  [/container runtime|PLEG/i, 'RUNTIME', 'its container runtime does not answer'],
  [/disk|imagefs/i, 'DISK', 'its disks are full or broken'],
];

async function unhealthy(sight: Sight, node: Node, ready: Condition): Promise<Diagnosis<Finding>> {
  const found = MESSAGES.find(([pattern]) => pattern.test(ready.message ?? ''));
  const [, is, what] = found ?? ([undefined, 'KUBELET', 'its kubelet says that it is not ready'] as const);
  return told(sight, node, is, whyUnhealthy(sight, node, what), `Node ${node.metadata.name} is not Ready: ${what}`);
}

function whyUnhealthy(sight: Sight, node: Node, what: string): Why {
  const why = whySilent(sight, node);
  const isLater = why.cause === 'node-does-not-rejoin-after-reboot' || why.cause === 'upgraded-node-not-ready-arm';
  return isLater
    ? why
    : { cause: 'unknown', confidence: 'certain', because: `the kubelet speaks, and says that ${what}` };
}

const LOWER = { certain: 'probable', probable: 'suspected', suspected: 'suspected' } as const;

async function told(
  sight: Sight,
  node: Node,
  is: OnNode['class'],
  why: Why,
  summary: string,
): Promise<Diagnosis<Finding>> {
  const { look, nodes } = sight;
  const silent = silentFor(look, node);
  const isServer = isControlPlane(node);
  const readyz = await look.probe('readyz');
  const margin = isServer && readyz?.ok === false ? 'none' : marginOf(nodes, node);
  return {
    is: true,
    finding: {
      ...{ about: 'node', class: is, cause: why.cause, node: refOf(node) },
      ...{ role: isServer ? 'control-plane' : 'worker', margin },
    },
    cause: why.cause,
    confidence: silent === undefined ? LOWER[why.confidence] : why.confidence,
    summary: `${summary}${silent === undefined ? '' : ` for ${inWords(silent)}`}`,
    because: why.because,
    users: await usersOf(sight, is),
    mayWait: mayWait(isServer, margin),
    ...(silent !== undefined && { since: new Date(look.at.getTime() - silent) }),
    evidence: [
      saw(node, 'status.conditions', 'what Kubernetes says of the node'),
      saw(node, 'spec', 'its taints, and whether it is cordoned'),
    ],
  };
}

/** Harvester restarts the VMs of a silent node elsewhere by itself (setting vm-force-reset-policy): nobody else should. */
async function usersOf({ look }: Sight, is: OnNode['class']): Promise<string> {
  const isOld = isBefore((await look.version()).harvester, '1.7.0');
  if (is !== 'NODE_UNREACHABLE' && isOld !== true) return 'VMs on the node may still run; new ones do not start there';
  const after = isOld === undefined ? 'a while' : isOld ? 'five minutes' : '15 seconds';
  return `VMs on the node are down or cut off; Harvester starts them elsewhere by itself after ${after}, if their volumes allow`;
}

function mayWait(isServer: boolean, margin: OnNode['margin']) {
  if (isServer && margin !== 'some') {
    return { untilMorning: false, because: 'etcd can lose no further member: one more and the API is gone' };
  }
  if (isServer) return { untilMorning: false, because: 'a control-plane node is out' };
  return { untilMorning: true, because: 'it is one worker, and Harvester restarts its VMs by itself' };
}

const PRESSURES = [
  ['DiskPressure', 'PRESSURE_disk', 'disk'],
  ['MemoryPressure', 'PRESSURE_memory', 'memory'],
  ['PIDPressure', 'PRESSURE_pid', 'process numbers'],
] as const;

/** A Ready node that evicts pods. It is told only where the condition says since when: flaps are common. */
function pressure({ look, nodes }: Sight, node: Node): Diagnosis<Finding> | undefined {
  for (const [type, is, what] of PRESSURES) {
    const condition = conditionOf(node, type);
    const lasted = since(look, condition?.lastTransitionTime);
    if (condition?.status !== 'True') continue;
    const name = node.metadata.name;
    if (lasted === undefined) return no(`Node ${name} runs out of ${what}, and since when is not in the picture`);
    if (lasted < PATIENCE) return no(`Node ${name} has run out of ${what} for ${inWords(lasted)} only`);
    const role = isControlPlane(node) ? 'control-plane' : 'worker';
    return {
      is: true,
      finding: { about: 'node', class: is, cause: 'unknown', node: refOf(node), role, margin: marginOf(nodes, node) },
      cause: 'unknown',
      confidence: 'certain',
      summary: `Node ${name} has run out of ${what} for ${inWords(lasted)}`,
      because: `its kubelet says ${type}, and evicts pods as long as that lasts`,
      users: `pods on Node ${name} are evicted, and new ones do not start there`,
      mayWait: { untilMorning: false, because: 'evictions go on until there is room again' },
      since: new Date(look.at.getTime() - lasted),
      evidence: [saw(node, 'status.conditions', `${type} is True`)],
    };
  }
  return undefined;
}
