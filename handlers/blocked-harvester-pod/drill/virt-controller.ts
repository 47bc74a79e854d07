import type { Actor, Hands } from '../../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { VirtualMachine, VirtualMachineInstance, Volume } from '../kinds.ts';
import { FINALIZER } from './objects.ts';

/** From an instance's creation to its being scheduled, and to its guest's running. */
const SCHEDULED = 3_000;
const RUNNING = 20_000;

/**
 * Plays virt-controller and virt-handler of KubeVirt 1.3.1 (pkg/virt-controller/watch/vm): a stop request, or a halted
 * run strategy, takes the instance away, and its guest uses up its whole grace period; a RerunOnFailure machine starts
 * only on a request, an Always one by itself.
 */
export const virtController: Actor = {
  name: 'virt-controller',
  plays: 'kubevirt v1.3.1: pkg/virt-controller/watch/vm.go, startStop and printable statuses',
  async act(hands) {
    const instances = new Map((await hands.list(VirtualMachineInstance)).map((vmi) => [place(vmi), vmi]));
    for (const object of await hands.list(VirtualMachine)) await keep(hands, object, instances.get(place(object)));
  },
};

const place = ({ metadata }: JsonObject) => `${Object(metadata).namespace}/${Object(metadata).name}`;

/** The reference to a machine or, with the same name, to its instance. */
export const machineRef = (
  kind: 'VirtualMachine' | 'VirtualMachineInstance',
  at: { namespace: string; name: string },
): ObjectRef => ({
  apiVersion: 'kubevirt.io/v1',
  kind,
  namespace: at.namespace,
  name: at.name,
});

const placeOf = ({ metadata }: VirtualMachine) => ({ namespace: metadata.namespace ?? '', name: metadata.name });

async function keep(hands: Hands, object: JsonObject, vmi: JsonObject | undefined): Promise<void> {
  const vm = VirtualMachine.schema.parse(object);
  const requests = vm.status?.stateChangeRequests?.map(({ action }) => action) ?? [];
  const strategy = vm.spec?.runStrategy ?? (vm.spec?.running ? 'Always' : 'Halted');
  const isStop = requests.includes('Stop') || strategy === 'Halted';
  if (vmi) return isStop && !isGoing(vmi) ? stop(hands, vm) : follow(hands, vm, vmi);
  if (!isStop && (strategy === 'Always' || requests.includes('Start'))) return start(hands, vm, object);
  return say(hands, vm, 'Stopped');
}

const isGoing = (vmi: JsonObject) => Object(vmi.metadata).deletionTimestamp !== undefined;

async function stop(hands: Hands, vm: VirtualMachine): Promise<void> {
  await hands.remove(machineRef('VirtualMachineInstance', placeOf(vm)));
  await say(hands, vm, 'Stopping', null);
}

async function start(hands: Hands, vm: VirtualMachine, object: JsonObject): Promise<void> {
  const { namespace, name } = placeOf(vm);
  await hands.create({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace, finalizers: [FINALIZER] },
    spec: Object(Object(object.spec).template).spec,
    status: { phase: 'Pending' },
  });
  await say(hands, vm, 'Starting', null);
}

/** What the instance's node does, and what the machine says of it. */
async function follow(hands: Hands, vm: VirtualMachine, object: JsonObject): Promise<void> {
  const { metadata, status } = VirtualMachineInstance.schema.parse(object);
  const ref = machineRef('VirtualMachineInstance', placeOf(vm));
  const now = hands.now().getTime();
  if (metadata.deletionTimestamp) {
    const grace = vm.spec?.template?.spec?.terminationGracePeriodSeconds ?? 30;
    if (now >= Date.parse(metadata.deletionTimestamp) + grace * 1000)
      return hands.merge(ref, { metadata: { finalizers: [] } });
    return say(hands, vm, 'Stopping');
  }
  const age = now - Date.parse(metadata.creationTimestamp ?? '');
  const phase = status?.phase === 'Running' || age >= RUNNING ? 'Running' : age >= SCHEDULED ? 'Scheduling' : 'Pending';
  if (phase !== status?.phase) await hands.merge(ref, { status: { phase, nodeName: 'node1' } }, 'status');
  await say(hands, vm, phase === 'Running' ? 'Running' : 'Starting');
}

/** Writes the machine's status; `null` ends its requests, for they have been heard. */
async function say(
  hands: Hands,
  vm: VirtualMachine,
  printableStatus: string,
  stateChangeRequests?: null,
): Promise<void> {
  const isSame = vm.status?.printableStatus === printableStatus;
  if (isSame && (stateChangeRequests === undefined || vm.status?.stateChangeRequests === undefined)) return;
  const created = printableStatus !== 'Stopped';
  const heard = stateChangeRequests === null && { stateChangeRequests };
  const status = { printableStatus, created, ready: printableStatus === 'Running', ...heard };
  await hands.merge(machineRef('VirtualMachine', placeOf(vm)), { status }, 'status');
}

/** Plays Longhorn as far as the machines go: a volume is attached while the instance that uses it is there. */
export const longhorn: Actor = {
  name: 'Longhorn',
  plays: 'longhorn-manager: controller/volume_controller.go and the CSI attacher, down to attached and detached',
  async act(hands) {
    const used = new Set((await hands.list(VirtualMachineInstance)).flatMap(claimsOf));
    for (const object of await hands.list(Volume)) {
      const { metadata, status } = Volume.schema.parse(object);
      const { namespace, pvcName } = status?.kubernetesStatus ?? {};
      if (namespace !== 'default') continue;
      const state = used.has(`${namespace}/${pvcName}`) ? 'attached' : 'detached';
      const ref = {
        apiVersion: Volume.apiVersion,
        kind: Volume.kind,
        namespace: 'longhorn-system',
        name: metadata.name,
      };
      if (status?.state !== state) await hands.merge(ref, { status: { state } }, 'status');
    }
  },
};

function claimsOf(vmi: JsonObject): string[] {
  const volumes: readonly JsonObject[] = Object(vmi.spec).volumes ?? [];
  return volumes.map((one) => `${Object(vmi.metadata).namespace}/${Object(one.persistentVolumeClaim).claimName}`);
}
