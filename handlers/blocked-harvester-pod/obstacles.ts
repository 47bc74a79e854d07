import type { Look } from '../../shared/handler.ts';
import { Setting } from '../../shared/kinds.ts';
import type { Machine, Obstacle } from './finding.ts';
import {
  Event,
  Manifest,
  VirtualMachine,
  VirtualMachineBackup,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from './kinds.ts';
import { needsStart, type Pair, placeOf, strategyOf } from './machines.ts';
import type { Sight } from './sight.ts';
import { available, VIRT_API } from './sight.ts';
import { otherVolumes } from './volumes.ts';

/** As many machines as a person can be asked to approve by name. */
const MANY = 10;
/** For how long a failure that RKE2's applier told of counts: it tries every 15 s. */
const RECENT = 15 * 60_000;

const obstacle = (why: Obstacle['why'], ...what: readonly string[]): Obstacle[] =>
  what.map((one) => ({ why, what: one }));

/** Everything that forbids to stop these machines, as far as the picture shows it. */
export async function obstaclesTo(
  { look, webhook }: Sight,
  blocking: readonly Pair[],
  machines: readonly Machine[],
  version: string | undefined,
): Promise<Obstacle[]> {
  const unclear = blocking.filter(({ vm }) => strategyOf(vm) === undefined).map(({ vm }) => placeOf(vm));
  const virtApi = await available(look, VIRT_API);
  return [
    ...(await unseen(look)),
    ...(blocking.length > MANY ? obstacle('too-many', String(blocking.length)) : []),
    ...obstacle('strategy-unclear', ...unclear),
    ...obstacle('version-unknown', ...machines.filter((one) => mayNotReturn(one, version)).map(nameIt)),
    ...(await busy(look, blocking)),
    ...(webhook === 'no' ? obstacle('webhook-down', 'harvester-webhook') : []),
    ...(virtApi === 'no' ? obstacle('virt-api-down', VIRT_API) : []),
    ...(await reverted(look, machines)),
    ...obstacle('other-volume', ...(await otherVolumes(look, blocking))),
  ];
}

const nameIt = ({ vm }: Machine) => `${vm.namespace ?? ''}/${vm.name}`;

async function unseen(look: Look): Promise<Obstacle[]> {
  const isSeen = (await look.captured(VirtualMachine)) && (await look.captured(VirtualMachineInstance));
  return [
    ...(isSeen ? [] : obstacle('machines-unseen', 'virtual machines')),
    ...((await look.captured(Setting)) ? [] : obstacle('setting-unseen', 'storage-network')),
  ];
}

/** Whether its run strategy, put back, starts it depends on the release, and that is not known. */
const mayNotReturn = ({ how, strategy }: Machine, version: string | undefined) =>
  how === 'patch' && strategy === 'RerunOnFailure' && needsStart(version) === undefined;

/** A backup denies the change of a VM, and a machine that moves must not be stopped. */
async function busy(look: Look, blocking: readonly Pair[]): Promise<Obstacle[]> {
  const backups = (await look.list(VirtualMachineBackup))
    .filter(({ status }) => status?.readyToUse !== true && status?.error === undefined)
    .map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec?.source?.name ?? ''}`);
  const migrations = (await look.list(VirtualMachineInstanceMigration))
    .filter(({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''))
    .map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec?.vmiName ?? ''}`);
  return blocking.flatMap(({ vm }) => {
    const place = placeOf(vm);
    const isMoving = vm.status?.printableStatus === 'Migrating' || migrations.includes(place);
    return [
      ...(backups.includes(place) ? obstacle('backup', place) : []),
      ...(isMoving ? obstacle('migration', place) : []),
    ];
  });
}

/**
 * RKE2's applier (k3s-io/k3s pkg/deploy/controller.go) writes every manifest anew each 15 s while any of them fails: a
 * patched machine of a manifest would start again at once. Such a machine is patched only where none is seen to fail.
 */
async function reverted(look: Look, machines: readonly Machine[]): Promise<Obstacle[]> {
  const patched = machines.filter(({ how, manifest }) => how === 'patch' && manifest !== null).map(nameIt);
  if (patched.length === 0) return [];
  const manifests = await look.list(Manifest, { namespace: 'kube-system' });
  const isSeen = await look.captured(Manifest, 'kube-system');
  const events = await look.list(Event, { namespace: 'kube-system' });
  const isFailing =
    manifests.some(({ spec }) => !spec?.checksum) ||
    events.some(({ reason, lastTimestamp, eventTime }) => {
      const time = Date.parse(lastTimestamp ?? eventTime ?? '');
      return reason === 'ApplyManifestFailed' && look.at.getTime() - time < RECENT;
    });
  return isFailing || !isSeen ? obstacle('manifest-reverts', ...patched) : [];
}
