import type { Look } from '../../shared/handler.ts';
import { refOf } from '../../shared/handler.ts';
import { isBefore, release } from '../../shared/versions.ts';
import type { Machine } from './finding.ts';
import { VirtualMachine, VirtualMachineInstance } from './kinds.ts';

/** A virtual machine with its instance, where it has one. */
export interface Pair {
  readonly vm: VirtualMachine;
  readonly vmi: VirtualMachineInstance | undefined;
}

const FINAL = ['Succeeded', 'Failed'];
const STRATEGIES = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'];
/** The setting of VMs' grace period that Harvester ships with. */
const GRACE = 120;
const RUNNING = ['Running', 'Paused', 'Migrating'];

export const placeOf = ({ metadata }: Pick<VirtualMachine, 'metadata'>) =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

/** Every machine of the picture, by namespace and name. */
export async function pairsOf(look: Look): Promise<readonly Pair[]> {
  const instances = new Map((await look.list(VirtualMachineInstance)).map((vmi) => [placeOf(vmi), vmi]));
  const machines = [...(await look.list(VirtualMachine))].sort((a, b) => placeOf(a).localeCompare(placeOf(b)));
  return machines.map((vm) => ({ vm, vmi: instances.get(placeOf(vm)) }));
}

export async function pairOf(
  look: Look,
  ref: { namespace?: string | undefined; name: string },
): Promise<Pair | undefined> {
  const vm = await look.get(VirtualMachine, ref);
  return vm && { vm, vmi: await look.get(VirtualMachineInstance, ref) };
}

/** `running: true` means Always, none of the two fields Halted; undefined where both are set, or the value is unknown. */
export function strategyOf({ spec }: VirtualMachine): string | undefined {
  if (spec?.runStrategy !== undefined) {
    return spec.running === undefined && STRATEGIES.includes(spec.runStrategy) ? spec.runStrategy : undefined;
  }
  return spec?.running ? 'Always' : 'Halted';
}

export const isLive = (vmi: VirtualMachineInstance | undefined) =>
  vmi !== undefined && !FINAL.includes(vmi.status?.phase ?? '');

/** Harvester pkg/util/virtualmachine IsVMStopped: what does not plainly say Stopped blocks, also an empty status. */
export const isBlocking = ({ vm, vmi }: Pair) =>
  vm.status?.printableStatus !== 'Stopped' || (strategyOf(vm) !== 'Halted' && isLive(vmi));

const asks = ({ vm }: Pair, action: 'Start' | 'Stop') =>
  vm.status?.stateChangeRequests?.some((request) => request.action === action) ?? false;

/** Whether the machine is on its way down: told to stop, halted, or going away. */
export const isGoingDown = (pair: Pair) =>
  asks(pair, 'Stop') ||
  strategyOf(pair.vm) === 'Halted' ||
  pair.vm.metadata.deletionTimestamp !== undefined ||
  (strategyOf(pair.vm) !== 'Always' && pair.vmi?.metadata.deletionTimestamp !== undefined);

/** Whether the machine has been told to run, or is running, and nothing tells it otherwise. */
export const isComingUp = (pair: Pair) =>
  !isGoingDown(pair) &&
  (asks(pair, 'Start') || (isLive(pair.vmi) && pair.vmi?.metadata.deletionTimestamp === undefined));

/** Whether it runs, and nothing is about to change that. */
export const isRunning = (pair: Pair) =>
  !isGoingDown(pair) && pair.vmi?.metadata.deletionTimestamp === undefined && pair.vmi?.status?.phase === 'Running';

/**
 * Whether a run strategy that is put back leaves the machine stopped: KubeVirt 1.2.2, of Harvester v1.4.0 and v1.4.1,
 * starts a RerunOnFailure machine only on a request (pkg/virt-controller/watch/vm.go). undefined: the release is unknown.
 */
export const needsStart = (version: string | undefined) =>
  release(version) === undefined ? undefined : isBefore(version, 'v1.4.2');

/** How the machine would be stopped and started again; undefined where its run strategy cannot be told. */
export function machineOf(pair: Pair, version: string | undefined): Machine | undefined {
  const { vm, vmi } = pair;
  const strategy = strategyOf(vm);
  if (strategy === undefined) return undefined;
  const printable = vm.status?.printableStatus ?? '';
  const how = howOf(pair, strategy);
  return {
    vm: refOf(vm),
    strategy,
    field: vm.spec?.runStrategy === undefined ? 'running' : 'runStrategy',
    how,
    ran: vmi?.status?.phase === 'Running' || RUNNING.includes(printable),
    paused: printable === 'Paused',
    needsStart: how === 'patch' && strategy === 'RerunOnFailure' && needsStart(version) === true,
    grace: vm.spec?.template?.spec?.terminationGracePeriodSeconds ?? GRACE,
    manifest: manifestOf(vm),
  };
}

/**
 * KubeVirt pkg/virt-api/rest/subresource.go: `stop` leaves the spec of RerunOnFailure and Manual machines alone, answers
 * 409 where there is no live instance, and would itself halt Always and Once ones.
 */
function howOf(pair: Pair, strategy: string): Machine['how'] {
  if (isGoingDown(pair)) return 'wait';
  const canStop = (strategy === 'RerunOnFailure' || strategy === 'Manual') && isLive(pair.vmi);
  return canStop ? 'call' : 'patch';
}

/** The manifest file of RKE2 that a machine came from, by the marks that its applier leaves. */
function manifestOf({ metadata: { annotations } }: VirtualMachine): string | null {
  const isOwned = annotations['objectset.rio.cattle.io/owner-gvk']?.endsWith('Kind=Addon') ?? false;
  return isOwned ? (annotations['objectset.rio.cattle.io/owner-name'] ?? 'unknown') : null;
}

/** The claims that a machine's disks are, as `namespace/claim`. */
export const claimsOf = ({ metadata, spec }: VirtualMachine): readonly string[] =>
  (spec?.template?.spec?.volumes ?? [])
    .map(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name)
    .filter((claim) => claim !== undefined)
    .map((claim) => `${metadata.namespace ?? ''}/${claim}`);
