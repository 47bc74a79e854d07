import {
  type Confidence,
  type Diagnosis,
  type Evidence,
  inWords,
  type ObjectRef,
  refOf,
  saw,
} from '../../../shared/handler.ts';
import { conditionOf } from '../../../shared/kinds.ts';
import type { Finding, Vip } from '../finding.ts';
import { AWAY, isControlPlane, isInMaintenance, isReady, MINUTE, upgradeStateOf } from '../nodes.ts';
import type { Sight } from '../sight.ts';
import type { CauseName } from '../upstream.ts';
import { conflictIn, givenAddress, isReadyPod, STALE, type VipSight, vipOf, wantedAddress } from '../vip-sight.ts';

const no = (because: string): Diagnosis<Finding> => ({ is: false, because });

/** What a rule says of the virtual IP. */
interface Told {
  readonly fault: Vip['fault'];
  readonly confidence: Confidence;
  readonly because: string;
  readonly cause?: CauseName;
  readonly pod?: ObjectRef;
  readonly unsure?: NonNullable<Vip['unsure']>;
}

/** A Lease of this age has run out: another pod takes it, or it grows old. */
const EXPIRED = 15_000;

/** In files the Lease may have been read minutes before the rest: only a Lease this old says something alone. */
const LONG = 10 * MINUTE;

/** Whether the virtual IP answers and is led. A node that is not Ready comes first: the address follows it. */
export async function onVip(sight: Sight, lease: ObjectRef): Promise<Diagnosis<Finding>> {
  const vip = await vipOf(sight.look);
  const dead = sight.nodes.find(
    (node) => !isReady(node) && conditionOf(node, 'Ready') && !isExcused(sight, node.metadata.name),
  );
  if (dead)
    return no(`Node ${dead.metadata.name} is not Ready: that comes first, and the virtual IP moves away from it`);
  const told = (await ofService(vip)) ?? (await ofPods(sight, vip)) ?? silent(sight, vip) ?? unanswered(vip);
  if (!told) return no(wellBecause(vip));
  const cause = told.cause ?? contextOf(sight);
  const standbys = sight.nodes.filter(
    (node) => isControlPlane(node) && isReady(node) && node.metadata.name !== vip.holder,
  );
  return {
    is: true,
    finding: {
      ...{ about: 'vip', class: 'VIP', fault: told.fault, cause, lease },
      ...{
        holder: vip.holder ?? null,
        pod: told.pod ?? null,
        hasStandby: standbys.length > 0,
        unsure: told.unsure ?? null,
      },
    },
    cause,
    confidence: told.confidence,
    summary: `The virtual IP ${wantedAddress(vip) ?? 'of the cluster'} ${vip.probe?.ok === false ? 'does not answer' : 'is not led as it should be'}`,
    because: told.because,
    users:
      vip.probe?.ok === false
        ? 'nobody reaches the UI, the API and kubectl through the virtual IP; running VMs go on'
        : 'nothing as yet, or the UI and the API through the virtual IP; running VMs go on',
    mayWait:
      vip.probe?.ok === false
        ? {
            untilMorning: false,
            because: 'the cluster cannot be managed, and nodes that reach it through the address lose it',
          }
        : { untilMorning: true, because: 'nobody was seen to miss the address' },
    evidence: evidenceOf(vip),
  };
}

const isExcused = ({ upgrade, nodes }: Sight, name: string): boolean => {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  return AWAY.includes(upgradeStateOf(upgrade, name) ?? '') || (node !== undefined && isInMaintenance(node));
};

async function ofService(vip: VipSight): Promise<Told | undefined> {
  const { service, probe } = vip;
  const wanted = wantedAddress(vip);
  if (!service || probe?.ok === true) return undefined;
  const confidence = probe ? 'certain' : 'probable';
  const name = `Service kube-system/${service.metadata.name}`;
  if (service.spec?.type === 'ClusterIP') {
    return {
      fault: 'service-lost',
      confidence,
      because: `${name} is a ClusterIP: kube-vip has no address to announce for it`,
    };
  }
  const given = givenAddress(vip);
  if (wanted !== undefined && given === undefined) {
    return { fault: 'service-lost', confidence, because: `${name} has no address, and ${wanted} was configured` };
  }
  if (wanted !== undefined && given !== wanted) {
    return {
      fault: 'address-differs',
      confidence,
      because: `${name} has ${given}, and ConfigMap vip says ${wanted}: DHCP gave another address`,
    };
  }
  return undefined;
}

async function ofPods({ look }: Sight, { pods, probe }: VipSight): Promise<Told | undefined> {
  if (pods.length === 0 || probe?.ok === true) return undefined;
  const isDown = !pods.some(isReadyPod);
  if (!isDown && probe?.ok !== false) return undefined;
  const conflict = await conflictIn(look, pods);
  if (conflict) {
    return {
      ...{ fault: 'taken', cause: 'kube-vip-conflict', confidence: probe ? 'certain' : 'probable' },
      because: 'the log of kube-vip says that a port or the address is taken by something else',
    };
  }
  if (!isDown) return undefined;
  return {
    fault: 'no-pod',
    confidence: probe ? 'certain' : 'probable',
    because: 'no pod of kube-vip is ready, so nobody announces the address',
  };
}

/** The leader renews its Lease no more, and no other pod takes it over. */
function silent({ nodes }: Sight, { age, holder, pods, probe }: VipSight): Told | undefined {
  if (age === undefined || holder === undefined || age < (probe ? STALE : LONG)) return undefined;
  const because = `the Lease plndr-svcs-lock of Node ${holder} was not renewed for ${inWords(age)}, and nobody took it over`;
  const unsure = (why: NonNullable<Vip['unsure']>): Told => ({
    ...{ fault: 'silent-unsure', confidence: 'suspected', because, unsure: why },
  });
  if (!probe) return unsure('not-probed');
  if (probe.ok) return unsure('still-answers');
  const node = nodes.find(({ metadata }) => metadata.name === holder);
  const pod = pods.find((one) => one.spec?.nodeName === holder);
  if (!node || !isControlPlane(node) || !isReady(node)) return unsure('holder-unfit');
  if (!pod || !isReadyPod(pod)) return unsure('no-pod-seen');
  return {
    ...{ fault: 'silent-leader', confidence: 'certain', pod: refOf(pod) },
    because: `${because}; its pod says that it is ready, and the address does not answer`,
  };
}

/** It is led, and does not answer. While its Lease is between two leaders, one may be on the way. */
function unanswered({ probe, holder, age }: VipSight): Told | undefined {
  if (probe?.ok !== false || (age !== undefined && age >= EXPIRED)) return undefined;
  return {
    ...{ fault: 'unanswered', confidence: 'probable' },
    because: `the address does not answer (${probe.because}), although Node ${holder ?? 'unknown'} leads it: it may be held twice, or what serves it is down`,
  };
}

/** In whose company the address was lost: an upgrade, or a loss of power from which all nodes came back together. */
function contextOf({ upgrade, nodes, look }: Sight): CauseName {
  if (upgrade) return 'vip-lost-during-upgrade';
  const ages = nodes.map(
    (node) => look.at.getTime() - Date.parse(conditionOf(node, 'Ready')?.lastTransitionTime ?? ''),
  );
  const isOld = nodes.every(
    ({ metadata }) => look.at.getTime() - Date.parse(metadata.creationTimestamp ?? '') > 24 * 60 * MINUTE,
  );
  const together =
    nodes.length > 1 && Math.max(...ages) - Math.min(...ages) < 15 * MINUTE && Math.max(...ages) < 24 * 60 * MINUTE;
  return isOld && together ? 'vip-unreachable-after-power-loss' : 'unknown';
}

function evidenceOf({ lease, service, pods, holder }: VipSight): readonly Evidence[] {
  const leader = pods.find((pod) => pod.spec?.nodeName === holder);
  return [
    ...(lease
      ? [saw(lease, 'spec.renewTime', 'when the leader last spoke'), saw(lease, 'spec.holderIdentity', 'who leads')]
      : []),
    ...(leader ? [saw(leader, 'status.conditions', 'what its pod says')] : []),
    ...(service ? [saw(service, 'status.loadBalancer', 'the address that the Service was given')] : []),
    ...pods
      .filter((pod) => !isReadyPod(pod))
      .slice(0, 3)
      .map((pod) => saw(pod, 'status.conditions', 'not ready')),
  ];
}

function wellBecause({ age, probe, lease }: VipSight): string {
  if (!lease) return 'nothing in the picture speaks against the virtual IP';
  const led = age === undefined || age < EXPIRED ? 'is led' : `was led ${inWords(age)} ago`;
  if (!probe) return `the virtual IP ${led}, and nobody tried whether it answers`;
  return probe.ok ? `the virtual IP ${led} and answers` : `the virtual IP ${led}: a new leader may be on the way`;
}
