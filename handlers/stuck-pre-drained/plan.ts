import { nameOf, type Offer, type Plan } from '../../shared/handler.ts';
import type { Blocked, Finding, NotConverging, Placement } from './finding.ts';
import { stallOffer } from './stall-plan.ts';

/** What Gleaner offers for a finding. */
export function plan(finding: Finding): Offer {
  switch (finding.about) {
    case 'placement':
      return forPlacement(finding);
    case 'placement-not-converging':
      return { refusal: null, plans: [deleteBudgets(finding)], prevention: PREVENTION };
    case 'stall':
      return stallOffer(finding);
  }
}

const PREVENTION =
  'Upgrade to v1.4.2-rc2 or newer instead: its chart sets the empty nodePlacement. Until then: before an upgrade of a cluster with one control-plane node, set it by hand.';

const SENTENCES: Readonly<Record<Blocked, (finding: Placement) => string>> = {
  'change-unknown': () => 'whether somebody has just changed KubeVirt cannot be told from this picture',
  'dwell-unknown': ({ node }) =>
    `since when Node ${node} is Pre-drained cannot be told: its pre-drain job is not in the picture`,
  'kubevirt-deleting': () => 'KubeVirt is being deleted',
  'kubevirt-not-deployed': () => 'KubeVirt does not say that it is Deployed: mend that first',
  'no-room': () => 'no other node takes pods and has room for two small ones: the replacements would stay Pending',
  'not-all-signs-seen': () =>
    'not every sign of the fault is in the picture: the pinned Deployment, its exhausted budget, the pod on the node and the one that fits nowhere',
  'operator-unavailable': () =>
    'Deployment harvester-system/virt-operator is not seen to be available, and without it the change has no effect',
  'recent-change': () => 'somebody changed KubeVirt in the last five minutes: let that settle first',
  'room-unknown': () =>
    'whether another node has room cannot be told: pods or the sizes of nodes are not in the picture',
  'several-nodes': () => 'more than one node is between the first hook and the reboot: look at that first',
};

function forPlacement(finding: Placement): Offer {
  if (finding.blocked.length === 0) return { refusal: null, plans: [setPlacement(finding)], prevention: PREVENTION };
  const because = `${finding.blocked.map((one) => SENTENCES[one](finding)).join('; ')}. Do not delete the budgets instead: virt-operator makes them anew within seconds, and an eviction that slips through leaves the VM API without a replica`;
  return { refusal: { because }, plans: [], prevention: PREVENTION };
}

function setPlacement({ kubevirt, node, upgrade }: Placement): Plan {
  return {
    id: 'set-node-placement',
    title: "Let KubeVirt's control plane run on any node",
    risk: 'low',
    stopgap: false,
    does: `Sets spec.infra.nodePlacement of ${nameOf(kubevirt)} to an empty object, which is what Harvester v1.4.2-rc2 and newer ship; the drain of Node ${node} then goes on by itself.`,
    blastRadius:
      'The pods of the Deployments virt-api and virt-controller, four at most, are replaced one after the other. No VM is touched; calls to the VM API may be cut once.',
    irreversible: null,
    preconditions: [
      `Node ${node} is the only one between the first hook and the reboot, and is cordoned`,
      'KubeVirt is Deployed and nobody changed it in the last five minutes; virt-operator is available',
      'both Deployments are as KubeVirt made them, and a budget forbids the eviction of the last pod',
      'another node takes pods and has room for two small ones',
    ],
    steps: [
      {
        do: 'patch',
        target: kubevirt,
        patch: { type: 'merge', body: { spec: { infra: { nodePlacement: {} } } } },
        guard: 'placement-still-blocks',
        because: 'with a placement that is set, even an empty one, KubeVirt no longer pins its control plane',
      },
      {
        do: 'wait',
        target: kubevirt,
        until: 'deployments-rolled-over',
        deadline: '5m',
        because: 'virt-operator rewrites virt-api first and virt-controller once that has rolled over',
      },
      {
        do: 'wait',
        target: kubevirt,
        until: 'drain-allowed',
        deadline: '2m',
        because: `the new pods must be off Node ${node} and ready, so that the budgets allow evictions again`,
      },
      {
        do: 'wait',
        target: upgrade,
        until: 'drain-moved-on',
        deadline: '15m',
        because: 'Rancher tries the drain again by itself; a pass that failed is repeated with growing pauses',
      },
    ],
    onFailure: [],
    undo: {
      offered: true,
      when: 'upgrade-ended',
      because: 'while nodes are drained, taking the placement back would bring the block back; it is never needed',
    },
  };
}

function deleteBudgets({ budgets, node, upgrade, operator }: NotConverging): Plan {
  const names = budgets.map(({ name }) => name).join(' and ');
  return {
    id: 'delete-budgets',
    title: `Delete ${names} once, so that the drain slips through`,
    risk: 'high',
    stopgap: true,
    does: `Deletes ${names}. virt-operator makes them anew within about 5 to 15 seconds, the drain tries again every 5 seconds: the eviction usually wins this race, not always.`,
    blastRadius: `virt-api or virt-controller may be left with no replica until Node ${node} is uncordoned: creating, starting and migrating VMs may fail until then. Running VMs go on.`,
    irreversible: 'A deleted budget is made anew by virt-operator; evictions in between are not taken back.',
    preconditions: [
      'KubeVirt has had the empty nodePlacement for more than five minutes, and its Deployments still require control-plane nodes',
      `virt-operator is ${operator}: see first why it does nothing, for mending it is the better way`,
      `${names} still allow no eviction`,
    ],
    steps: [
      ...budgets.map((target) => ({
        do: 'delete' as const,
        target,
        guard: 'budget-still-blocks',
        because: `without ${target.name} the eviction on Node ${node} passes, if it comes before virt-operator makes the budget anew`,
      })),
      {
        do: 'wait',
        target: upgrade,
        until: 'drain-moved-on',
        deadline: '15m',
        because: 'Rancher tries the drain again by itself',
      },
    ],
    onFailure: [],
    undo: { offered: false, because: 'virt-operator makes the budgets anew by itself' },
  };
}
