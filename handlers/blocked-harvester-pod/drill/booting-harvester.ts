import type { Actor, Hands } from '../../../shared/drill.ts';
import type { Json, JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { Pod, Setting } from '../../../shared/kinds.ts';
import { VirtualMachine, VirtualMachineInstance, Volume } from '../kinds.ts';
import { STORAGE_NETWORK, SYSTEM } from './objects.ts';

/** How long the process takes from its start to its settings. */
const BOOT = 5_000;
/** The kubelet waits 10 s after the first end, twice as long after each next, 5 minutes at most. */
const backOff = (restarts: number) => Math.min(300_000, 10_000 * 2 ** restarts);

const DENIALS = {
  machines: 'Please stop all VMs before configuring the storage-network setting',
  volumes: 'please stop all workloads before configuring the storage-network setting',
};

/**
 * Plays Harvester v1.4's server, and its pods' kubelet as far as restarts go: once in each run, soon after its start, it
 * creates the settings that are missing (pkg/server, settings.SetAll), meets its own validator
 * (pkg/webhook/resources/setting/validator.go, validateStorageNetwork), and ends with exit code 1 when it is denied.
 */
export function bootingHarvester(): Actor {
  /** The runs of each cluster that have passed their start, by the pod's uid and how often it was restarted. */
  const passed = new WeakMap<Hands, Set<string>>();
  return {
    name: 'Harvester',
    plays: 'harvester v1.4.2: pkg/server/types.go, pkg/data/add.go; kubernetes pkg/kubelet, back-off of containers',
    async act(hands) {
      const past = passed.get(hands) ?? new Set();
      passed.set(hands, past);
      const labels = { 'app.kubernetes.io/name': 'harvester', 'app.kubernetes.io/component': 'apiserver' };
      for (const object of await hands.list(Pod, { namespace: SYSTEM, labels })) {
        const pod = Pod.schema.parse(object);
        const isOurs = Object.entries(labels).every(([key, value]) => pod.metadata.labels[key] === value);
        if (isOurs && !pod.metadata.deletionTimestamp) await live(hands, object, pod, past);
      }
    },
  };
}

async function live(hands: Hands, object: JsonObject, pod: Pod, past: Set<string>): Promise<void> {
  const container = pod.status?.containerStatuses?.[0];
  if (pod.status?.phase !== 'Running' || !container) return;
  const now = hands.now().getTime();
  const restarts = container.restartCount ?? 0;
  const finishedAt = container.lastState?.terminated?.finishedAt;
  if (container.state?.waiting && finishedAt !== undefined) {
    if (now >= Date.parse(finishedAt) + backOff(restarts)) await restart(hands, object, restarts + 1);
    return;
  }
  const startedAt = container.state?.running?.startedAt;
  const run = `${pod.metadata.uid} ${restarts}`;
  if (startedAt === undefined || now < Date.parse(startedAt) + BOOT || past.has(run)) return;
  const denial = await createSetting(hands);
  if (denial === undefined) past.add(run);
  else await crash(hands, object, startedAt, denial);
}

/** Creates the setting where it is missing, or says why the validator denies it. */
async function createSetting(hands: Hands): Promise<string | undefined> {
  const { apiVersion, kind } = Setting;
  if (await hands.get({ apiVersion, kind, name: 'storage-network' })) return undefined;
  if (await isAnyRunning(hands)) return DENIALS.machines;
  if (await isAnyAttached(hands)) return DENIALS.volumes;
  await hands.create(STORAGE_NETWORK);
  return undefined;
}

/** pkg/util/virtualmachine IsVMStopped, turned round. */
async function isAnyRunning(hands: Hands): Promise<boolean> {
  const instances = (await hands.list(VirtualMachineInstance)).map((vmi) => VirtualMachineInstance.schema.parse(vmi));
  return (await hands.list(VirtualMachine)).some((object) => {
    const { metadata, spec, status } = VirtualMachine.schema.parse(object);
    const vmi = instances.find(
      (one) => one.metadata.namespace === metadata.namespace && one.metadata.name === metadata.name,
    );
    const isFinal = vmi === undefined || ['Succeeded', 'Failed'].includes(vmi.status?.phase ?? '');
    return status?.printableStatus !== 'Stopped' || (spec?.runStrategy !== 'Halted' && !isFinal);
  });
}

async function isAnyAttached(hands: Hands): Promise<boolean> {
  const volumes = (await hands.list(Volume)).map((volume) => Volume.schema.parse(volume));
  return volumes.some(({ status }) => status?.state !== 'detached');
}

const logged = (at: string, level: string, message: string) =>
  `time="${at}" level=${level} msg="${message.replaceAll('"', '\\"')}"`;

async function crash(hands: Hands, pod: JsonObject, startedAt: string, denial: string): Promise<void> {
  const at = stamp(hands);
  const message = `failed to create harvester server: admission webhook "validator.harvesterhci.io" denied the request: ${denial}`;
  const lines = [logged(startedAt, 'info', 'Starting Harvester'), logged(at, 'fatal', message)];
  // While a container waits, its last run is both the current and the previous one to who asks for a log.
  for (const previous of [false, true]) await hands.say(refOf(pod), 'apiserver', lines, previous);
  await report(hands, pod, false, {
    ...{ ready: false, started: false },
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'restarting failed container=apiserver' } },
    lastState: { terminated: { reason: 'Error', exitCode: 1, startedAt, finishedAt: at } },
  });
}

/** It has no probe: it is ready as soon as it runs. */
async function restart(hands: Hands, pod: JsonObject, restartCount: number): Promise<void> {
  await hands.say(refOf(pod), 'apiserver', [logged(stamp(hands), 'info', 'Starting Harvester')]);
  const state = { running: { startedAt: stamp(hands) } };
  await report(hands, pod, true, { ready: true, started: true, restartCount, state });
}

/** Kubernetes writes whole seconds. */
const stamp = (hands: Hands) =>
  hands
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');

function refOf({ metadata }: JsonObject): ObjectRef & { namespace: string } {
  return { apiVersion: Pod.apiVersion, kind: Pod.kind, namespace: SYSTEM, name: String(Object(metadata).name) };
}

async function report(hands: Hands, pod: JsonObject, isReady: boolean, container: JsonObject): Promise<void> {
  const { containerStatuses = [], conditions = [] } = Object(pod.status);
  const status = { status: isReady ? 'True' : 'False', lastTransitionTime: stamp(hands) };
  const isAboutReady = ({ type }: JsonObject) => type === 'Ready' || type === 'ContainersReady';
  await hands.merge(
    refOf(pod),
    {
      status: {
        conditions: conditions.map((one: JsonObject): Json => (isAboutReady(one) ? { ...one, ...status } : one)),
        containerStatuses: [{ ...containerStatuses[0], ...container }],
      },
    },
    'status',
  );
}
