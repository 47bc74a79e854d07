import { type Confidence, type ObjectRef, refOf, type Seen, saw } from '../../../shared/handler.ts';
import type { Engine, Replica, Volume } from '../longhorn-kinds.ts';
import type { LonghornSight } from '../longhorn-sight.ts';
import { HARD, type Told } from '../told.ts';
import type { CauseName } from '../upstream.ts';

/** Which of Longhorn's reasons keeps the budget of the node's instance manager: the first that the picture shows. */
export function longhornCause(seen: LonghornSight): Told {
  return (
    wrongSelector(seen) ??
    twoManagers(seen) ??
    attachedByHand(seen) ??
    lastReplica(seen) ??
    orphanEngine(seen) ??
    attachedByNobody(seen) ??
    told(seen, 'pdb-longhorn-instance-manager', 'certain', 'nothing in the picture tells why Longhorn keeps it', [])
  );
}

function told(
  seen: LonghornSight,
  cause: CauseName,
  confidence: Confidence,
  because: string,
  objects: readonly (Seen & { field: string; note: string })[],
): Told {
  const budgets = seen.blocks.map(({ budget }) => budget);
  const named = budgets.length > 0 ? `PodDisruptionBudget ${budgets[0]?.metadata.name}` : 'the failed drain';
  return {
    class: 'P2a',
    cause,
    confidence,
    because: `${named} keeps the Longhorn instance manager on Node ${seen.node}: ${because}`,
    evidence: [...seen.evidence, ...objects.slice(0, 5).map((one) => saw(one, one.field, one.note))],
    objects: refs([...budgets, ...objects]),
    patience: HARD,
  };
}

const refs = (objects: readonly Seen[]): ObjectRef[] =>
  objects.map(refOf).sort((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));

const at = <T extends Seen>(object: T, field: string, note: string) => ({ ...object, field, note });

/** A budget has the name of the instance manager whose pod it is for (longhorn-manager types.GetPDBName). */
function wrongSelector(seen: LonghornSight): Told | undefined {
  for (const { budget } of seen.blocks) {
    const { name } = budget.metadata;
    const manager = seen.managers.find(({ metadata }) => metadata.name === name);
    const pod = seen.pods.find(({ metadata }) => metadata.name === name);
    const home = manager?.spec?.nodeID ?? pod?.spec?.nodeName;
    const selected = budget.spec?.selector?.matchLabels['longhorn.io/node'];
    if (!home || selected === undefined || home === selected) continue;
    const because = `it belongs to the instance manager of Node ${home} and selects the pod of Node ${selected}`;
    const owners = manager ? [at(manager, 'spec.nodeID', 'the budget of this name is for this node')] : [];
    return told(seen, 'pdb-longhorn-wrong-selector', 'certain', because, owners);
  }
  return undefined;
}

function twoManagers(seen: LonghornSight): Told | undefined {
  const here = seen.managers.filter(({ spec }) => spec?.nodeID === seen.node);
  const [twins] = [...Map.groupBy(here, ({ spec }) => spec?.type ?? '').values()].filter((all) => all.length > 1);
  if (!twins) return undefined;
  const names = twins.map(({ metadata }) => metadata.name).sort();
  return told(
    seen,
    'longhorn-two-instance-managers',
    'probable',
    `${names.join(' and ')} are of one type on this node, and one of them was left over`,
    twins.map((manager) => at(manager, 'spec.type', 'of the same type, on the same node')),
  );
}

const isHere = (seen: LonghornSight) => (volume: Volume) =>
  volume.status?.state === 'attached' && volume.status.currentNodeID === seen.node;

/** A ticket of Longhorn's own UI: somebody pressed "Attach". */
function attachedByHand(seen: LonghornSight): Told | undefined {
  const byHand = seen.attachments.filter(({ spec }) =>
    Object.entries(spec?.attachmentTickets ?? {}).some(
      ([id, ticket]) => (id === 'longhorn-ui' || ticket.type === 'longhorn-api') && ticket.nodeID === seen.node,
    ),
  );
  if (byHand.length === 0) return undefined;
  return told(
    seen,
    'attached-volume-without-workload',
    'certain',
    `volume ${byHand.map(({ spec, metadata }) => spec?.volume ?? metadata.name).join(', ')} is attached there by hand`,
    byHand.map((one) => at(one, 'spec.attachmentTickets', 'a ticket of the Longhorn UI for this node')),
  );
}

const isHealthy = ({ spec, status }: Replica) =>
  !spec?.failedAt && (status?.currentState === undefined || status.currentState === 'running');

function lastReplica(seen: LonghornSight): Told | undefined {
  for (const volume of seen.volumes) {
    const all = seen.replicas.filter(({ spec, metadata }) => {
      return (spec?.volumeName ?? metadata.labels.longhornvolume) === volume.metadata.name;
    });
    const healthy = all.filter(isHealthy);
    const [last] = healthy;
    if (healthy.length !== 1 || !last || last.spec?.nodeID !== seen.node) continue;
    const isSingle =
      volume.spec?.numberOfReplicas === 1 || (volume.spec?.numberOfReplicas === undefined && all.length === 1);
    const where = [at(volume, 'status.robustness', 'its volume'), at(last, 'spec.nodeID', 'the last healthy replica')];
    const name = volume.metadata.name;
    if (isSingle) {
      return told(seen, 'single-replica-volume', 'certain', `volume ${name} has its only replica there`, where);
    }
    const cause = hasTooManySnapshots(seen, volume)
      ? 'pdb-longhorn-last-healthy-replica-too-many-snapshots'
      : 'pdb-longhorn-last-healthy-replica';
    const more = cause.endsWith('snapshots') ? ', and too many snapshots stop the rebuild of the others' : '';
    return told(seen, cause, 'certain', `the last healthy replica of volume ${name} is there${more}`, where);
  }
  return fromLog(seen);
}

function hasTooManySnapshots(seen: LonghornSight, { metadata, status }: Volume): boolean {
  const said = status?.conditions.some(({ type, status: is }) => type === 'TooManySnapshots' && is === 'True');
  return said === true || seen.log.some((line) => /too many snapshots/i.test(line) && line.includes(metadata.name));
}

/** longhorn-manager controller/instance_manager_controller.go says why it keeps a budget. */
function fromLog(seen: LonghornSight): Told | undefined {
  const line = seen.log.find((one) => /has no pdb on another node|no any available replica/.test(one));
  if (!line) return undefined;
  const cause = seen.log.some((one) => /too many snapshots/i.test(one))
    ? 'pdb-longhorn-last-healthy-replica-too-many-snapshots'
    : 'pdb-longhorn-last-healthy-replica';
  return told(seen, cause, 'probable', `its log says that no other node has a healthy replica`, []);
}

/** An engine that the instance manager counts, although it is stopped, gone, redundant or its volume detached. */
function orphanEngine(seen: LonghornSight): Told | undefined {
  const managers = seen.managers.filter(
    ({ spec, metadata }) =>
      spec?.nodeID === seen.node || seen.blocks.some(({ budget }) => budget.metadata.name === metadata.name),
  );
  for (const manager of managers) {
    const counted = Object.keys(manager.status?.instanceEngines ?? {}).sort();
    const orphan = counted.find((name) => isOrphan(seen, name));
    if (orphan === undefined) continue;
    return told(seen, 'longhorn-orphan-engine', 'certain', `it counts engine ${orphan}, which nothing uses`, [
      at(manager, 'status.instanceEngines', 'the engines that it counts'),
    ]);
  }
  const redundant = seen.engines.find((engine) => isRedundant(seen, engine));
  if (redundant) {
    return told(seen, 'longhorn-orphan-engine', 'probable', `engine ${redundant.metadata.name} is redundant`, [
      at(redundant, 'spec.nodeID', 'a second engine of one volume, or one that is not where its volume is'),
    ]);
  }
  const line = seen.log.find((one) => /some volumes are still attached InstanceEngines count [1-9]/.test(one));
  const isUsed = seen.volumes.some(isHere(seen));
  if (!line || isUsed) return undefined;
  return told(
    seen,
    'longhorn-orphan-engine',
    'probable',
    'its log says that it counts engines, and no volume is attached there',
    [],
  );
}

function isOrphan(seen: LonghornSight, name: string): boolean {
  const engine = seen.engines.find(({ metadata }) => metadata.name === name);
  if (!engine) return seen.seesEngines && !isAttached(seen, name.replace(/-e-\w+$/, ''));
  if (engine.status?.currentState === 'stopped') return true;
  return isRedundant(seen, engine) || !isAttached(seen, engine.spec?.volumeName ?? '');
}

/** Whether the volume is, or may be, attached on this node. */
function isAttached(seen: LonghornSight, name: string): boolean {
  const volume = seen.volumes.find(({ metadata }) => metadata.name === name);
  return volume ? isHere(seen)(volume) : !seen.seesVolumes;
}

function isRedundant(seen: LonghornSight, { spec, metadata }: Engine): boolean {
  const volume = seen.volumes.find(
    ({ metadata: one }) => one.name === (spec?.volumeName ?? metadata.labels.longhornvolume),
  );
  const twins = seen.engines.filter(
    (one) => one.spec?.volumeName !== undefined && one.spec.volumeName === spec?.volumeName,
  );
  const isAway = Boolean(spec?.nodeID && volume?.status?.currentNodeID && volume.status.currentNodeID !== spec.nodeID);
  return (isAway && spec?.nodeID === seen.node) || (twins.length > 1 && spec?.active === false);
}

/** The pre-drain job has moved every VM away: what is still attached has no workload, or a pod that is evicted with it. */
function attachedByNobody(seen: LonghornSight): Told | undefined {
  if (seen.hasMachines) return undefined;
  const idle = seen.volumes
    .filter(isHere(seen))
    .filter(({ status }) => (status?.kubernetesStatus?.workloadsStatus ?? []).length === 0);
  if (idle.length === 0) return undefined;
  const names = idle.map(({ metadata }) => metadata.name).sort();
  return told(
    seen,
    'attached-volume-without-workload',
    'probable',
    `volume ${names.join(', ')} is attached there, and no workload of it is seen`,
    idle.map((volume) => at(volume, 'status.currentNodeID', 'attached on the node that is drained')),
  );
}
