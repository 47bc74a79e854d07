import type { Check, Look, ObjectRef, Verdict } from '../../shared/handler.ts';
import { nameOf } from '../../shared/handler.ts';
import { Deployment, Setting } from '../../shared/kinds.ts';
import { SETTING } from './causes/storage-network.ts';
import { diagnose } from './diagnose.ts';
import type { Finding, Machine, Machines } from './finding.ts';
import {
  VirtualMachine,
  VirtualMachineBackup,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from './kinds.ts';
import { isBlocking, isComingUp, isGoingDown, isLive, isRunning, type Pair, pairOf, strategyOf } from './machines.ts';
import { podsOf, SYSTEM, standingOf } from './pods.ts';
import { available, NAME, VIRT_API, webhookAvailable } from './sight.ts';
import { place } from './stop-plan.ts';
import { areVolumesSeen, attached, otherVolumes } from './volumes.ts';

const fixed = (because: string): Verdict => ({ is: 'fixed', because });
const waiting = (because: string): Verdict => ({ is: 'waiting', because });
const failed = (because: string): Verdict => ({ is: 'failed', because });

const machinesOf = (finding: Finding) => (finding.class === 'machines' ? finding.machines : []);

/** A machine's pair of the moment; a verdict where it is gone, was made anew, or cannot be read. */
async function seen(look: Look, target: ObjectRef): Promise<Pair | Verdict> {
  const isCaptured =
    (await look.captured(VirtualMachine, target.namespace)) &&
    (await look.captured(VirtualMachineInstance, target.namespace));
  if (!isCaptured) return waiting('virtual machines and their instances cannot be read');
  const pair = await pairOf(look, target);
  if (!pair) return failed(`${nameOf(target)} is not there any more`);
  const isSame = target.uid === undefined || pair.vm.metadata.uid === target.uid;
  return isSame ? pair : failed(`${nameOf(target)} was deleted and made again`);
}

type Ask = (pair: Pair, machine: Machine) => Verdict;

/** A question about one machine of the finding. */
const about =
  (ask: Ask): Check<Finding> =>
  async (look, finding, target) => {
    const machine = machinesOf(finding).find(({ vm }) => nameOf(vm) === nameOf(target));
    if (!machine) return failed(`${nameOf(target)} is not part of what was approved`);
    const pair = await seen(look, target);
    return 'is' in pair ? pair : ask(pair, machine);
  };

const stateOf = ({ vm, vmi }: Pair) =>
  `${vm.status?.printableStatus || 'without a status'}${vmi ? `, its instance ${vmi.status?.phase ?? 'without a phase'}` : ''}`;

/** Whether its stop was asked for: then it is not asked for again. */
const goingDown = about((pair, machine) =>
  !isBlocking(pair) || isGoingDown(pair)
    ? fixed(`VM ${place(machine)} is on its way down or stopped`)
    : waiting(`VM ${place(machine)} is ${stateOf(pair)}`),
);

const isStopped = (pair: Pair) => !isBlocking(pair) && !isLive(pair.vmi);

const stopped = about((pair, machine) =>
  isStopped(pair) ? fixed(`VM ${place(machine)} is stopped`) : waiting(`VM ${place(machine)} is ${stateOf(pair)}`),
);

/** Whether it is down, or was never going there: only then can it be started. */
const settled = about((pair, machine) =>
  !isLive(pair.vmi) || isComingUp(pair)
    ? fixed(`VM ${place(machine)} is ${isComingUp(pair) ? 'up or coming up' : 'down'}`)
    : waiting(`VM ${place(machine)} is still going down`),
);

const comingUp = about((pair, machine) =>
  isComingUp(pair)
    ? fixed(`VM ${place(machine)} is up or coming up`)
    : waiting(`VM ${place(machine)} is ${stateOf(pair)}`),
);

/** Whether the machine is again what it was: its run strategy, and its running where it ran. */
export const isBack: Ask = (pair, machine) => {
  const strategy = strategyOf(pair.vm);
  if (strategy !== machine.strategy)
    return waiting(`VM ${place(machine)} is ${strategy ?? 'unclear'}, and was ${machine.strategy}`);
  const isUp = machine.ran ? isRunning(pair) : machine.strategy === 'Manual' || isComingUp(pair);
  return isUp ? fixed(`VM ${place(machine)} is as it was`) : waiting(`VM ${place(machine)} is ${stateOf(pair)}`);
};
const back = about(isBack);

/** Asked right before each stop: everything that the approver was told still holds, and can be seen. */
const mayStop: Check<Finding> = async (look, finding, target) => {
  if (finding.class !== 'machines') return failed('nothing is to be stopped for this');
  const now = await diagnose(look, finding.deployment);
  if (!now.is) return failed(`Harvester is not blocked any more: ${now.because}`);
  if (now.finding.class !== 'machines') return failed(`Harvester is blocked by something else now: ${now.summary}`);
  const obstacle = now.finding.obstacles.find(({ why }) => why !== 'other-volume');
  if (obstacle) return failed(`in the way now: ${obstacle.why} ${obstacle.what}`);
  const [volume] = await volumesOfOthers(look, finding);
  if (volume) return failed(`volume ${volume} is attached by now, and belongs to none of the VMs that were approved`);
  const changed = differs(finding, now.finding, target);
  return changed === undefined ? answering(look) : failed(changed);
};

/** The volumes of a machine that this run has stopped already may take a moment to be detached. */
async function volumesOfOthers(look: Look, approved: Machines): Promise<readonly string[]> {
  const pairs = await Promise.all(approved.machines.map(({ vm }) => pairOf(look, vm)));
  return otherVolumes(
    look,
    pairs.filter((pair) => pair !== undefined),
  );
}

/** A machine that was not approved, or one that would be stopped in another way than was approved. */
function differs(approved: Machines, now: Machines, target: ObjectRef): string | undefined {
  const known = new Map(approved.machines.map((one) => [place(one), one]));
  const strange = now.machines.find((one) => !known.has(place(one)) || known.get(place(one))?.vm.uid !== one.vm.uid);
  if (strange) return `VM ${place(strange)} runs too by now, and was not approved`;
  const machine = now.machines.find(({ vm }) => nameOf(vm) === nameOf(target));
  const before = machine && known.get(place(machine));
  const isOther = before && (machine.strategy !== before.strategy || machine.field !== before.field);
  return isOther ? `VM ${place(machine)} is ${machine.strategy} by now, and was ${before.strategy}` : undefined;
}

/** Whether all that a stop and the later start need answers, and all that could forbid it can be read. */
async function answering(look: Look): Promise<Verdict> {
  const { webhooks } = await podsOf(look);
  if ((await webhookAvailable(look, webhooks)) !== 'yes') return waiting('harvester-webhook is not seen to be ready');
  if ((await available(look, VIRT_API)) !== 'yes') return waiting('virt-api is not seen to be available');
  if (!(await areVolumesSeen(look))) return waiting('the volumes cannot be read');
  if (!(await look.captured(VirtualMachineBackup))) return waiting('the backups cannot be read');
  if (!(await look.captured(VirtualMachineInstanceMigration))) return waiting('the migrations cannot be read');
  return fixed('Harvester is still blocked by these VMs alone, and everything needed answers');
}

const volumesDetached: Check<Finding> = async (look) => {
  if (!(await areVolumesSeen(look))) return waiting('the volumes cannot be read');
  const left = await attached(look);
  return left.length === 0 ? fixed('no volume is attached') : waiting(`still attached: ${left.join(', ')}`);
};

const settingCreated: Check<Finding> = async (look) =>
  (await look.get(Setting, { name: SETTING }))
    ? fixed('the setting storage-network exists')
    : waiting('the setting storage-network does not exist yet');

/** Whether every pod of Harvester has run for five minutes without a restart. */
const staysUp: Check<Finding> = async (look) => {
  const { servers } = await podsOf(look);
  const standings = servers
    .map((pod) => standingOf(pod, look.at))
    .filter(({ is }) => is !== 'gone' && is !== 'evicted');
  const down = standings.find(({ is }) => is !== 'serving');
  if (down) return waiting(down.because);
  if (standings.length === 0) return waiting('no pod of Harvester is seen');
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name: NAME });
  const wanted = deployment?.spec?.replicas ?? 1;
  return (deployment?.status?.availableReplicas ?? 0) >= wanted
    ? fixed('every pod of Harvester has run for 5 minutes without a restart')
    : waiting(`Deployment harvester has not all of its ${wanted} pods available`);
};

export const checks = {
  'may-stop': mayStop,
  'going-down': goingDown,
  stopped,
  settled,
  'coming-up': comingUp,
  back,
  'volumes-detached': volumesDetached,
  'setting-created': settingCreated,
  'stays-up': staysUp,
} satisfies Record<string, Check<Finding>>;

/** Re-runs the rule, and looks at what matters: Harvester stays up, its setting exists, and the machines are back. */
export async function verify(look: Look, finding: Finding): Promise<Verdict> {
  const now = await diagnose(look, finding.deployment);
  if (now.is) return waiting(now.summary);
  const up = await staysUp(look, finding, finding.deployment);
  if (up.is !== 'fixed' || finding.class !== 'machines') return up;
  const setting = await settingCreated(look, finding, finding.deployment);
  if (setting.is !== 'fixed') return setting;
  const restarted = finding.machines.filter(({ how, strategy }) => how !== 'wait' && strategy !== 'Halted');
  for (const { vm } of restarted) {
    const verdict = await back(look, finding, vm);
    if (verdict.is !== 'fixed') return verdict;
  }
  return fixed(
    `Harvester stays up, its setting storage-network exists, and ${restarted.map(place).join(', ')} ${restarted.length === 1 ? 'is' : 'are'} as before`,
  );
}
