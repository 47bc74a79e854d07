import { refOf, saw } from '../../../shared/handler.ts';
import { Lease, Pod, Upgrade } from '../../../shared/kinds.ts';
import { isBefore } from '../../../shared/versions.ts';
import { Machine, UpgradeControllerPlan } from '../kinds.ts';
import { FLEET, MINUTE, type Sight, SYSTEM, since } from '../sight.ts';
import { SOFT, type Told } from '../told.ts';

const told = (rest: Omit<Told, 'objects' | 'patience'> & Partial<Told>): Told => ({
  ...{ objects: [], patience: SOFT },
  ...rest,
});

/** A helm operation that cannot start, or does not end: the Rancher leader waits for it, and drains nothing. */
export async function helmOperation({ look }: Sight): Promise<Told | undefined> {
  const pods = await look.list(Pod, { namespace: 'cattle-system' });
  const stuck = pods.find(({ metadata, status }) => {
    if (!metadata.name.startsWith('helm-operation-')) return false;
    const cannotPull = status?.containerStatuses?.some(({ state }) => /ImagePull/.test(state?.waiting?.reason ?? ''));
    const isOpen = !['Succeeded', 'Failed'].includes(status?.phase ?? '');
    return cannotPull || (isOpen && (since(look, metadata.creationTimestamp) ?? 0) >= 15 * MINUTE);
  });
  if (!stuck) return undefined;
  return told({
    class: 'P2c',
    cause: 'rancher-leader-blocked-helm-operation',
    confidence: 'probable',
    because: 'a helm operation of Rancher cannot start or does not end, and its leader waits for it',
    evidence: [saw(stuck, 'status.containerStatuses', 'this helm operation does not get on')],
  });
}

/** The node's Machine was deleted: Rancher has forgotten the node that it was draining. */
export async function machineDeleted({ look, node, machine, name, waiting }: Sight): Promise<Told | undefined> {
  const named = node?.metadata.annotations['cluster.x-k8s.io/machine'];
  const isGone = named !== undefined && !machine && (await look.captured(Machine, FLEET));
  const isGoing = machine?.metadata.deletionTimestamp !== undefined;
  if (!node || (!isGone && !isGoing)) return undefined;
  return told({
    class: 'P2',
    cause: 'pdb-eviction-plus-manual-machine-deletion',
    confidence: isGone ? 'probable' : 'certain',
    because: `the Machine ${named ?? machine?.metadata.name} of Node ${name} ${isGone ? 'is not there' : 'is being deleted'}: somebody deleted it in the middle of the upgrade`,
    evidence: [
      saw(node, 'metadata.annotations', 'names the Machine of this node'),
      ...(machine ? [saw(machine, 'metadata.deletionTimestamp', 'deleted in the middle of the upgrade')] : []),
      ...(waiting ? [waiting.seen] : []),
    ],
  });
}

/** Another Upgrade's plan is still being carried out. */
export async function earlierAttempt({ look, upgrade }: Sight): Promise<Told | undefined> {
  const earlier = (await look.list(Upgrade, { namespace: SYSTEM })).map(({ metadata }) => metadata.name);
  const plan = (await look.list(UpgradeControllerPlan)).find(
    ({ metadata, status }) =>
      (status?.applying ?? []).length > 0 &&
      metadata.name.startsWith('hvst-upgrade-') &&
      !metadata.name.startsWith(`${upgrade.metadata.name}-`),
  );
  if (!plan) return undefined;
  return told({
    class: 'P3',
    cause: 'previous-upgrade-attempt-left-plan',
    confidence: 'suspected',
    because: `Plan ${plan.metadata.name} of an earlier attempt is still being applied (upgrades: ${earlier.sort().join(', ')})`,
    evidence: [saw(plan, 'status.applying', 'nodes on which the earlier plan is still at work')],
    objects: [refOf(plan)],
  });
}

/** The virtual IP is led from the drained node and does not answer, or may not: then no agent reaches the cluster. */
export async function virtualAddress({ look, name, dwell }: Sight): Promise<Told | undefined> {
  const lease = await look.get(Lease, { namespace: SYSTEM, name: 'plndr-svcs-lock' });
  if (lease?.spec?.holderIdentity !== name) return undefined;
  const probe = await look.probe('vip');
  if (probe?.ok) return undefined;
  const isKnown = isBefore((await look.version()).harvester, '1.9.0-rc1') === false;
  if (!probe && !isKnown) return undefined;
  return told({
    class: 'P3',
    cause: 'kube-vip-on-drained-node',
    confidence: probe && dwell !== undefined ? 'probable' : 'suspected',
    because: `the virtual IP is led from Node ${name}, which is drained, and ${probe ? 'does not answer' : 'nobody tried whether it answers'}`,
    evidence: [saw(lease, 'spec.holderIdentity', 'the node that leads the virtual IP')],
    objects: [refOf(lease)],
  });
}
