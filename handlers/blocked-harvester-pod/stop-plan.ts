import type { Json, ObjectRef, Plan, Step } from '../../shared/handler.ts';
import { Setting } from '../../shared/kinds.ts';
import type { Machine, Machines } from './finding.ts';

/** How long a guest may take beyond its grace period, and what hangs on its volumes. */
const SLACK = 60;
const SETTING: ObjectRef = { apiVersion: Setting.apiVersion, kind: Setting.kind, name: 'storage-network' };
/** Where Harvester's VM webhook looks for the run strategy when a machine leaves Halted (mutator.go); without it, it writes RerunOnFailure. */
const REMEMBERED = 'harvesterhci.io/vmRunStrategy';

export const place = ({ vm }: Pick<Machine, 'vm'>) => `${vm.namespace ?? ''}/${vm.name}`;
const list = (machines: readonly Machine[]) => machines.map(place).join(', ');

/** Stops the machines, lets Harvester create its setting, and starts again exactly what it stopped. */
export function stopPlan({ deployment, machines }: Machines): Plan {
  const touched = machines.filter(({ how }) => how !== 'wait');
  const grace = Math.max(...machines.map((one) => one.grace));
  return {
    id: 'stop-and-start',
    title: `Stop ${touched.length === 1 ? 'one VM' : `${touched.length} VMs`}, let Harvester start, start ${touched.length === 1 ? 'it' : 'them'} again`,
    risk: 'high',
    stopgap: false,
    does: `Stops ${list(touched)}; waits until Harvester has created its setting storage-network and has stayed up for 5 minutes; starts ${list(touched.filter(isRestarted))} again.`,
    blastRadius: blastRadius(touched, grace),
    irreversible: `What ${list(touched)} hold in memory is lost, as with any shutdown; a guest that does not shut down within its grace period is switched off.`,
    preconditions: PRECONDITIONS,
    steps: [
      ...touched.map(stop),
      ...machines.map(untilStopped),
      {
        ...{ do: 'wait', target: deployment, until: 'volumes-detached', deadline: '5m' },
        because: 'an attached volume is refused next, after the VMs',
      },
      {
        ...{ do: 'wait', target: SETTING, until: 'setting-created', deadline: '10m' },
        because:
          'the next start of the pod creates the setting, after at most 5 minutes of back-off; once it exists the fault cannot return',
      },
      {
        ...{ do: 'wait', target: deployment, until: 'stays-up', deadline: '15m' },
        because:
          'the pod has no probe and counts as ready for seconds at every restart: only 5 minutes without one tell',
      },
      ...startAll(touched),
    ],
    onFailure: [...touched.filter(isRestarted).flatMap(settleAndStart), ...touched.filter(isRestarted).map(untilBack)],
    undo: {
      offered: false,
      because: 'the plan itself starts again what it stopped, and the setting must stay: nothing is left to put back',
    },
  };
}

const PRECONDITIONS = [
  'every VM was read, and none but these counts as not stopped',
  'no volume was seen attached that belongs to anything else',
  'before each stop, again: Harvester is still blocked by this; no other VM runs; no backup or migration of the VM; harvester-webhook and virt-api answer; volumes, backups and migrations can be read',
];

/** A machine that was halted by its owner's spec stays as it is. */
const isRestarted = ({ strategy }: Machine) => strategy !== 'Halted';

function blastRadius(touched: readonly Machine[], grace: number): string {
  const minutes = Math.ceil((grace + SLACK) / 60) + 30;
  const paused = touched.filter((one) => one.paused);
  const manifests = touched.filter(({ how, manifest }) => how === 'patch' && manifest !== null);
  return [
    `${list(touched)} ${touched.length === 1 ? 'is' : 'are'} off for 10 to 15, at most ${minutes} minutes, with everything that depends on ${touched.length === 1 ? 'it' : 'them'}.`,
    ...(paused.length > 0 ? [`Paused, and running afterwards: ${list(paused)}.`] : []),
    ...(manifests.length > 0
      ? [`A restart of rke2-server would start them meanwhile, as their manifests say: ${list(manifests)}.`]
      : []),
  ].join(' ');
}

/** The strategy in the field that the machine's spec uses: the two exclude each other. */
function wants({ strategy, field }: Machine, isHalted: boolean): Json {
  const spec: Json = field === 'running' ? { running: !isHalted } : { runStrategy: isHalted ? 'Halted' : strategy };
  return { metadata: { annotations: { [REMEMBERED]: strategy } }, spec };
}

const patchOf = (machine: Machine, isHalted: boolean) => ({
  type: 'merge' as const,
  body: Object(wants(machine, isHalted)),
});

function stop(machine: Machine): Step {
  const touching = { target: machine.vm, guard: 'may-stop' };
  if (machine.how === 'call') {
    return {
      ...{ do: 'call', ...touching, subresource: 'stop', body: {}, goal: 'going-down' },
      because: `VM ${place(machine)} is shut down; its run strategy ${machine.strategy} stays as it is`,
    };
  }
  return {
    ...{ do: 'patch', ...touching, patch: patchOf(machine, true) },
    because: `VM ${place(machine)} is shut down; its annotation remembers that it was ${machine.strategy}`,
  };
}

const untilStopped = (machine: Machine): Step => ({
  ...{ do: 'wait', target: machine.vm, until: 'stopped', deadline: `${machine.grace + SLACK}s` },
  because: `VM ${place(machine)} counts as running until it says Stopped and its instance is gone`,
});

const startAll = (touched: readonly Machine[]): Step[] => [
  ...touched.filter(isRestarted).flatMap(start),
  ...touched.filter(isRestarted).map(untilBack),
];

/** In recovery a machine may still be on its way down, and would refuse to be started. */
const settleAndStart = (machine: Machine): Step[] => [
  {
    ...{ do: 'wait', target: machine.vm, until: 'settled', deadline: `${machine.grace + SLACK}s` },
    because: `VM ${place(machine)} can be started only once it is down`,
  },
  ...start(machine),
];

function start(machine: Machine): Step[] {
  const call: Step = {
    ...{ do: 'call', target: machine.vm, subresource: 'start', body: {}, goal: 'coming-up' },
    because: `VM ${place(machine)} was stopped by this plan`,
  };
  if (machine.how === 'call') return [call];
  const patch: Step = {
    ...{ do: 'patch', target: machine.vm, patch: patchOf(machine, false) },
    because: `VM ${place(machine)} gets its run strategy ${machine.strategy} back`,
  };
  return machine.needsStart ? [patch, call] : [patch];
}

const untilBack = (machine: Machine): Step => ({
  ...{ do: 'wait', target: machine.vm, until: 'back', deadline: '5m' },
  because: `VM ${place(machine)} must be as it was before`,
});
