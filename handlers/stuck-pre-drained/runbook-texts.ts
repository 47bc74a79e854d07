import type { Finding, Phase, Stall } from './finding.ts';
import type { CauseName } from './upstream.ts';

/** What a person is asked to do about a stall, and what to paste. */
export interface Advice {
  readonly what: string;
  readonly command?: string;
  readonly risk: 'low' | 'medium' | 'high';
  /** What it moves, or takes away for good. */
  readonly blastRadius: string;
}

type At = Pick<Stall, 'node' | 'objects' | 'upgrade'>;

const NOTHING = 'Looking changes nothing.';
const NEVER = 'Do not restart the upgrade and do not delete the Upgrade.';

/** A name as it may stand in a command to paste: what is no Kubernetes name may be anything. */
const word = (name: string | undefined) =>
  name !== undefined && /^[a-z0-9][a-z0-9.-]*$/.test(name) ? name : undefined;

const nameOfKind = ({ objects }: At, kind: string) => word(objects.find((object) => object.kind === kind)?.name);

const longhorn = (what: (at: At) => string, blastRadius: string): ((at: At) => Advice) => {
  return (at) => ({
    what: what(at),
    command: `kubectl -n longhorn-system get volumes.longhorn.io,engines.longhorn.io,replicas.longhorn.io,instancemanagers.longhorn.io,volumeattachments.longhorn.io -o wide; kubectl -n longhorn-system get pdb; kubectl get vmi -A -o wide`,
    risk: 'medium',
    blastRadius,
  });
};

const budgetIn = (at: At) => nameOfKind(at, 'PodDisruptionBudget') ?? 'the budget of its instance manager';

/** fact: harvester/harvester#7366 and #8977; what must hold before an instance manager's budget may go. */
const orphan = longhorn(
  (at) =>
    `Make sure that Node ${at.node} is cordoned, that no VM runs on it, that no VolumeAttachment has a ticket for it, and that every volume with a replica there has another healthy one. Only if all four hold: kubectl -n longhorn-system delete pdb ${budgetIn(at)}. Otherwise leave it, and ask for help.`,
  'If an engine is in use after all, its volume breaks on eviction and a VM sees I/O errors.',
);

const host = (at: At): Advice => ({
  what: `On the host of Node ${at.node}, look first: the commands collect what support needs. Then systemctl restart rancher-system-agent; only if that does not help, restart rke2-server there. ${NEVER}`,
  command:
    'systemctl status rke2-server rancher-system-agent; journalctl -u rancher-system-agent -n 200 --no-pager; journalctl -u rke2-server -n 200 --no-pager; crictl ps -a; ls /var/lib/rancher/rke2/agent/pod-manifests',
  risk: 'medium',
  blastRadius: `The control plane of Node ${at.node} restarts; with another control-plane node down it is lost meanwhile.`,
});

const ADVICE: Readonly<Partial<Record<CauseName, (at: At) => Advice>>> = {
  'longhorn-orphan-engine': orphan,
  'pdb-longhorn-instance-manager': orphan,
  'longhorn-two-instance-managers': orphan,
  'pdb-longhorn-wrong-selector': orphan,
  'single-replica-volume': longhorn(
    (at) =>
      `Volume ${nameOfKind(at, 'Volume') ?? 'of the node'} has its only replica on Node ${at.node}. Shut its VM down, or raise it to two replicas and wait until it is healthy. Do not delete the budget: the volume would go offline under its VM.`,
    'A VM that is shut down stays down until somebody starts it.',
  ),
  'pdb-longhorn-last-healthy-replica': longhorn(
    (at) =>
      `Find out why volume ${nameOfKind(at, 'Volume') ?? 'of the node'} does not rebuild (space, a node that is out, snapshots) and wait until it is healthy. Do not delete the budget: the last healthy replica would go.`,
    NOTHING,
  ),
  'pdb-longhorn-last-healthy-replica-too-many-snapshots': longhorn(
    (at) =>
      `Delete snapshots of volume ${nameOfKind(at, 'Volume') ?? 'of the node'} that nobody needs, until its rebuild begins, and wait until it is healthy. Do not delete the budget: the last healthy replica would go.`,
    'Deleted snapshots are gone.',
  ),
  'attached-volume-without-workload': longhorn(
    (at) =>
      `Make sure that no VM uses volume ${nameOfKind(at, 'Volume') ?? nameOfKind(at, 'VolumeAttachment') ?? 'attached on the node'}; then detach it in the Longhorn UI. Longhorn removes its budget by itself.`,
    'A volume that is in use after all would be taken from its VM.',
  ),
  'expired-rke2-certificates': (at) => ({
    what: `On the host of Node ${at.node}, look whether the certificates of kube-scheduler and kube-controller-manager have expired. If so, in the middle of an upgrade: move the .crt and .key files of these two folders away and restart the two static pods; RKE2 makes new ones (harvester/harvester#3863). Do not rotate all certificates now: that restarts the control plane node by node.`,
    command:
      'for f in /var/lib/rancher/rke2/server/tls/kube-scheduler/kube-scheduler.crt /var/lib/rancher/rke2/server/tls/kube-controller-manager/kube-controller-manager.crt; do openssl x509 -noout -enddate -in "$f"; done',
    risk: 'medium',
    blastRadius: 'Two control-plane components of this node restart.',
  }),
  'capi-controller-unauthorized': () => ({
    what: 'Restart the Cluster API controller, in the namespace in which it runs. To keep it from coming back, label Secret fleet-local/local-kubeconfig with cluster.x-k8s.io/cluster-name=local.',
    command:
      'kubectl -n cattle-provisioning-capi-system rollout restart deployment capi-controller-manager || kubectl -n cattle-capi-system rollout restart deployment capi-controller-manager',
    risk: 'low',
    blastRadius: 'One controller restarts.',
  }),
  'rancher-leader-blocked-helm-operation': () => ({
    what: 'See which chart the helm operation is for and why it does not get on; an image that cannot be pulled has to be made available, or another tag of it set (harvester/harvester#10284).',
    command:
      'kubectl -n cattle-system get pods | grep helm-operation; kubectl -n cattle-system describe pods | grep -B2 -A8 ImagePull',
    risk: 'low',
    blastRadius: NOTHING,
  }),
  'hook-not-acknowledged': (at) => ({
    what: `Restart Harvester, which then looks at the job again; that is the milder way. If it does not help, ask for help before the annotation harvesterhci.io/pre-hook of the machine plan of Node ${at.node} is set by hand: it lets the drain begin at once.`,
    command: 'kubectl -n harvester-system rollout restart deployment harvester',
    risk: 'medium',
    blastRadius: "Harvester's API and UI are away for a minute; VMs go on.",
  }),
  'stale-upgrade-cr-after-post-drain': (at) => ({
    what: `Make sure that no pod of Job ${nameOfKind(at, 'Job') ?? 'post-drain'} runs: it may be writing the OS image. Then delete the Job; Harvester makes it anew and goes on (harvester/harvester#9293).`,
    command: `kubectl -n harvester-system get pods -l job-name=${nameOfKind(at, 'Job') ?? 'JOB'}; kubectl -n harvester-system delete job ${nameOfKind(at, 'Job') ?? 'JOB'} --cascade=background`,
    risk: 'medium',
    blastRadius: 'The post-drain job of this node runs once more, with its upgrade of the OS.',
  }),
  'predrain-job-vmi-failed': (at) => ({
    what: `Delete the pod of Job ${nameOfKind(at, 'Job') ?? 'pre-drain'}: its successor counts the VMs anew (harvester/harvester#6094).`,
    command: `kubectl -n harvester-system delete pod -l job-name=${nameOfKind(at, 'Job') ?? 'JOB'}`,
    risk: 'medium',
    blastRadius: 'The pre-drain job of this node begins once more.',
  }),
  'two-node-anti-affinity-during-drain': (at) => ({
    what: `See which replicas wait for Node ${at.node}. Scale the workload that its budget protects down by one until the node is back; do not delete the budget.`,
    command: 'kubectl get pods -A --field-selector=status.phase=Pending -o wide; kubectl get pdb -A',
    risk: 'medium',
    blastRadius: 'The workload that is scaled down runs with one replica less.',
  }),
  'pdb-eviction-plus-manual-machine-deletion': (at) => ({
    what: `Delete nothing more, and ask for help: the Machine of Node ${at.node} is gone, and with it Rancher's record of the drain (harvester/harvester#6022).`,
    command: 'kubectl -n fleet-local get machines.cluster.x-k8s.io -o wide; kubectl get nodes -o wide',
    risk: 'low',
    blastRadius: NOTHING,
  }),
  'previous-upgrade-attempt-left-plan': () => ({
    what: 'See to which upgrade the plan belongs, and ask for help before it is deleted.',
    command:
      'kubectl -n cattle-system get plans.upgrade.cattle.io -o wide; kubectl -n harvester-system get upgrades.harvesterhci.io --show-labels',
    risk: 'low',
    blastRadius: NOTHING,
  }),
  'kube-vip-on-drained-node': (at) => ({
    what: `Try the virtual IP from outside. If it does not answer, delete the kube-vip pod on Node ${at.node}: another node takes the address over.`,
    command: `kubectl -n harvester-system get pods -l app.kubernetes.io/name=kube-vip --field-selector spec.nodeName=${word(at.node) ?? 'NODE'}`,
    risk: 'low',
    blastRadius: 'The virtual IP is away for up to ten seconds.',
  }),
  'pdb-virt-api-node-placement': () => ({
    what: "Look whether spec.infra.nodePlacement of KubeVirt is set, and since when. Where it is absent, set it to {} (runbook). Do not delete KubeVirt's budgets: virt-operator makes them anew within seconds.",
    command:
      'kubectl -n harvester-system get kubevirt kubevirt -o yaml --show-managed-fields; kubectl -n harvester-system get deployments,pdb,pods -o wide | grep virt-',
    risk: 'low',
    blastRadius: NOTHING,
  }),
};

const BY_PHASE: Readonly<Record<Phase, (at: At) => Advice>> = {
  P0: collect,
  P1: collect,
  P2: collect,
  P2a: (at) => ({
    ...collect(at),
    what: `See whose pods ${at.objects.map(({ name }) => name).join(', ') || 'the budgets'} protect on Node ${at.node}, and ask their owner: scale up elsewhere, or down, or stop the VM. Delete no budget before its owner agrees.`,
  }),
  P2b: (at) => ({
    ...collect(at),
    what: `See why the pods on Node ${at.node} do not end: its kubelet, or a volume that cannot be detached. Do not delete them by force: a volume could be attached twice.`,
  }),
  P2c: collect,
  P3: host,
  P4: collect,
  V2: collect,
  unseen: collect,
};

function collect(at: At): Advice {
  return {
    what: `Collect what support needs and see what Rancher says of Node ${at.node}. ${NEVER}`,
    command:
      'kubectl -n fleet-local get machines.cluster.x-k8s.io -o yaml; kubectl -n fleet-local get clusters.provisioning.cattle.io local -o yaml; kubectl -n harvester-system get upgrades.harvesterhci.io,jobs -o wide; kubectl get pdb -A; kubectl get pods -A -o wide | grep -v Running',
    risk: 'low',
    blastRadius: NOTHING,
  };
}

/** What to do about a stall by hand: for its cause, else for the phase in which the node stands. */
export const adviceOn = (finding: Extract<Finding, { about: 'stall' }>): Advice =>
  (
    ADVICE[finding.cause] ??
    (finding.cause === 'planner-waiting-for-probes' || finding.cause === 'rke2-server-stuck-activating'
      ? host
      : BY_PHASE[finding.class])
  )(finding);
