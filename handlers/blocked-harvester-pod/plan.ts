import { nameOf, type Offer, type Plan, type Step } from '../../shared/handler.ts';
import { ASKS, type AskedFor } from './asks.ts';
import type { Finding, Machines, NoNode, Obstacle } from './finding.ts';
import { place, stopPlan } from './stop-plan.ts';

/** What Gleaner offers for a finding. Only machines that keep the setting from being created are ever touched. */
export function plan(finding: Finding): Offer {
  switch (finding.class) {
    case 'machines':
      return forMachines(finding);
    case 'all-cordoned':
    case 'disk-pressure':
    case 'evicted':
      return forNoNode(finding);
    case 'volumes':
    case 'vcluster':
    case 'strategy-conflict':
      return asking(finding, ASKS[finding.class], finding.objects);
    default:
      return asking(finding, ASKS[finding.class], []);
  }
}

const UPGRADE =
  'Raise Harvester to v1.5.1, v1.6.0 or newer; v1.4 has no fix. Until then keep VMs out of the manifests that a first boot applies, or have them created Halted.';

const SENTENCES: Readonly<Record<Obstacle['why'], (what: string) => string>> = {
  'machines-unseen': (what) => `not all ${what} could be read, so nobody knows which of them would have to be stopped`,
  'setting-unseen': (what) => `the settings could not be read, so nobody knows whether ${what} is still missing`,
  'too-many': (what) => `${what} VMs are not stopped, more than one approval can answer for`,
  backup: (what) => `a backup of VM ${what} is under way, and the webhook denies to change it`,
  migration: (what) => `VM ${what} is being migrated: stopped now it may be left on two nodes`,
  'webhook-down': (what) => `no pod of ${what} is ready, and without it no VM can be changed`,
  'virt-api-down': (what) => `Deployment ${what} is not available, and without it no VM can be stopped or started`,
  'manifest-reverts': (what) =>
    `VM ${what} comes from a manifest of RKE2 that may be applied again every 15 s, which would start it again: correct the manifest on every server node`,
  'other-volume': (what) =>
    `volume ${what} is attached and belongs to none of these VMs: it would be refused next, and the VMs stopped in vain`,
  'strategy-unclear': (what) => `the run strategy of VM ${what} cannot be told`,
  'version-unknown': (what) =>
    `the release of Harvester is not known, and with it whether VM ${what} starts again by itself`,
};

function forMachines(finding: Machines): Offer {
  const { machines, obstacles } = finding;
  const touched = machines.filter(({ how }) => how !== 'wait');
  const manifests = [...new Set(machines.map(({ manifest }) => manifest).filter((one) => one !== null))].sort();
  const prevention =
    manifests.length > 0
      ? `${UPGRADE} Manifests that create these VMs: ${manifests.join(', ')}; to stop their being applied put a file NAME.yaml.skip beside each on every server node.`
      : UPGRADE;
  if (obstacles.length > 0) {
    const because = obstacles.map(({ why, what }) => SENTENCES[why](what)).join('; ');
    return { refusal: { because }, plans: [], prevention };
  }
  if (touched.length === 0) {
    const because =
      machines.length === 0
        ? 'no VM counts as running any more: the next start of the pod, after at most 5 minutes of back-off, creates the setting'
        : `${machines.map(place).join(', ')} ${machines.length === 1 ? 'is' : 'are'} on the way down already: wait until stopped`;
    return { refusal: { because }, plans: [], prevention };
  }
  return { refusal: null, plans: [stopPlan(finding)], prevention };
}

/** What a person does, while Gleaner waits for the pod to stay up. */
function asking({ deployment }: Pick<Finding, 'deployment'>, asked: AskedFor, objects: readonly string[]): Offer {
  const named = objects.length > 0 ? `: ${objects.join(', ')}` : '';
  const step: Step = {
    do: 'ask',
    target: deployment,
    because: asked.because,
    what: `${asked.what}${named}`,
    command: asked.command,
    until: 'stays-up',
    deadline: '24h',
  };
  return { refusal: { because: asked.refusal }, plans: [askPlan(deployment, step)], prevention: asked.prevention };
}

function askPlan(deployment: Finding['deployment'], step: Step): Plan {
  return {
    id: 'ask',
    title: `Have ${nameOf(deployment)} brought up by a person`,
    risk: 'low',
    stopgap: false,
    does: 'Asks a person to do what stands below, and watches until the pod has stayed up for 5 minutes; Gleaner itself changes nothing.',
    blastRadius: 'Nothing by Gleaner.',
    irreversible: null,
    preconditions: [],
    steps: [step],
    onFailure: [],
    undo: { offered: false, because: 'Gleaner changes nothing here' },
  };
}

/** A name that may stand in a command to paste: what a file says need not be what an API server would take. */
const PASTED = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function forNoNode(finding: NoNode): Offer {
  const asked = ASKS[finding.class];
  const nodes = finding.nodes.filter((node) => PASTED.test(node));
  const command = nodes.map((node) => asked.command.replaceAll('NODE', node)).join('\n') || asked.command;
  return asking(finding, { ...asked, command }, finding.nodes);
}
