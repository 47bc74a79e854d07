import type { Finding } from './finding.ts';

/** What a person is asked where Gleaner touches nothing, and why it does not. */
export interface AskedFor {
  readonly because: string;
  readonly what: string;
  readonly command: string;
  readonly refusal: string;
  readonly prevention: string | null;
}

const PODS = 'kubectl -n harvester-system get pods -l app.kubernetes.io/name=harvester -o wide';
const LOG = 'kubectl -n harvester-system logs deployment/harvester -c apiserver --previous --tail=100';
const WEBHOOK_LOG = 'kubectl -n harvester-system logs deployment/harvester-webhook --tail=100';
const NO_RULE = 'no rule says what would mend this safely';
const BUG = 'a panic is a bug of the program, which nothing in the cluster mends for good';

/** By the class of the finding; `NODE` in a command stands for each node of it. */
export const ASKS: Readonly<Record<Exclude<Finding['class'], 'machines'>, AskedFor>> = {
  volumes: {
    because: 'the validator counts every attached volume but those of monitoring and of the VM import',
    what: 'Scale down or end the workloads that hold these volumes, until Harvester is up',
    command:
      'kubectl -n longhorn-system get volumes.longhorn.io -o custom-columns=NAME:.metadata.name,STATE:.status.state,NAMESPACE:.status.kubernetesStatus.namespace,CLAIM:.status.kubernetesStatus.pvcName',
    refusal:
      'attached volumes and not VMs are in the way: stopping VMs would not help, and whose workloads may be stopped only their owners know',
    prevention: 'Raise Harvester to v1.5.1, v1.6.0 or newer.',
  },
  vcluster: {
    because: 'the vcluster add-on counts as a workload on the storage network',
    what: 'Disable the add-on rancher-vcluster, until Harvester is up',
    command: 'kubectl -n rancher-vcluster get addons.harvesterhci.io,pods',
    refusal: 'disabling vcluster takes down the Rancher in it: its owner must decide',
    prevention: 'Raise Harvester to v1.5.1, v1.6.0 or newer.',
  },
  'strategy-conflict': {
    because: 'the validator cannot tell whether a VM runs that has both spec.running and spec.runStrategy',
    what: 'Remove one of spec.running and spec.runStrategy from the VM',
    command:
      'kubectl get virtualmachines -A -o jsonpath=\'{range .items[?(@.spec.running)]}{.metadata.namespace}/{.metadata.name} {.spec.runStrategy}{"\\n"}{end}\'',
    refusal: 'which of the two fields is meant only the owner of the VM knows',
    prevention: null,
  },
  'all-cordoned': {
    because: 'Harvester and harvester-webhook wait for a node that takes pods',
    what: 'Make sure that the maintenance is over; then take away the drain request and uncordon one node. If the webhook denies it, see the runbook',
    command: 'kubectl annotate node NODE harvesterhci.io/drain-requested-\nkubectl uncordon NODE',
    refusal:
      'a node is cordoned by a person for a reason that the cluster does not show: only they can say that it is over',
    prevention: 'Keep one management node uncordoned, and take nodes into maintenance one at a time.',
  },
  'disk-pressure': {
    because: 'the kubelet keeps the taint until the disk has room again, and taking it away needs harvester-webhook',
    what: 'Free space on the node: unused images and logs first. If the taint stays although there is room, see the runbook',
    command: 'kubectl describe node NODE\ndf -h / /var/lib/rancher /var/lib/harvester/defaultdisk',
    refusal: "what may be deleted from a node's disk only its operator knows",
    prevention: "Watch the node's file systems, and keep images and VM disks on disks of their own.",
  },
  evicted: {
    because: 'a pod that was evicted stays away until its node has room again',
    what: 'Find out what the node ran out of, make room, and look whether a new pod of the webhook comes up',
    command: `${PODS}\nkubectl describe nodes`,
    refusal: 'what may be removed from a full node only its operator knows',
    prevention: "Watch the node's memory and file systems.",
  },
  'setting-denied': {
    because: 'the validator denied a setting, and the log does not name it: compare which settings are missing',
    what: 'Read the denial in the log, and correct or complete the setting that it is about',
    command: `${LOG}\nkubectl get settings.harvesterhci.io`,
    refusal: 'what the setting should be only its owner knows',
    prevention: null,
  },
  'webhook-silent': {
    because: 'Harvester tries again at each restart, and passes once a pod of the webhook is ready',
    what: 'Look why harvester-webhook has no ready pod; once it has, the next start passes by itself',
    command: `${PODS}\n${WEBHOOK_LOG}`,
    refusal:
      'this passes by itself once the webhook is ready; taking its configuration away would switch off every check of the cluster',
    prevention: null,
  },
  'webhook-unregistered': {
    because: 'Harvester waits three minutes for the configuration that the webhook itself writes',
    what: "Read the log of harvester-webhook: without the secret harvester-webhook-ca, or without Rancher's kinds, it never registers",
    command: `${WEBHOOK_LOG}\nkubectl get validatingwebhookconfigurations harvester-validator\nkubectl get crd managedcharts.management.cattle.io`,
    refusal:
      'why the webhook does not register stands only in its own log; on a cluster that was not installed from the ISO it never does',
    prevention: 'Install Harvester from the ISO; as a chart on another cluster it is not supported.',
  },
  'webhook-untrusted': {
    because: "the configuration holds another authority than the one that signed the webhook's certificate",
    what: 'Compare the caBundle of harvester-validator with the secret harvester-webhook-ca, and restart harvester-webhook so that it writes its own again',
    command: `${WEBHOOK_LOG}\nkubectl -n harvester-system rollout restart deployment/harvester-webhook`,
    refusal: 'certificates are not read by Gleaner, so it cannot tell which of the two is stale',
    prevention: null,
  },
  'bootstrap-denied': {
    because: "Rancher's webhook denies what bootstraps Harvester, and says why",
    what: 'Read the denial; correct the object that it names, or bring rancher-webhook to the release that belongs to this Rancher',
    command:
      'kubectl -n fleet-local get managedcharts,bundles -o yaml\nkubectl -n cattle-system logs deployment/rancher-webhook --tail=100',
    refusal: 'what Rancher denies is not for Gleaner to force',
    prevention: null,
  },
  'migration-network': {
    because: 'the setting vm-migration-network cannot be created while a VM migrates',
    what: 'Wait for the migrations to end, or cancel them; the next start passes',
    command: 'kubectl get virtualmachineinstancemigrations -A',
    refusal: 'migrations end by themselves, and one that is broken off may harm its VM',
    prevention: null,
  },
  'template-invalid': {
    because: 'the definition in the cluster and the program are of different releases',
    what: 'Compare the definition of virtualmachinetemplates with the one of this release',
    command: `${LOG}\nkubectl get crd virtualmachinetemplates.harvesterhci.io -o yaml`,
    refusal: NO_RULE,
    prevention: null,
  },
  'not-an-iso-install': {
    because: 'Harvester needs the kinds of the Rancher that its ISO brings',
    what: 'Check how this cluster was installed: as a chart on another cluster Harvester is not supported',
    command: 'kubectl get crd managedcharts.management.cattle.io',
    refusal: 'an installation that is not supported cannot be mended from inside',
    prevention: 'Install Harvester from the ISO.',
  },
  'api-unreachable': {
    because: 'the pod cannot reach the Kubernetes API, although others can',
    what: "Look at the network of the pod's node: kube-proxy, the CNI, and the API server's address",
    command: `${PODS}\nkubectl -n kube-system get pods -o wide`,
    refusal: NO_RULE,
    prevention: null,
  },
  panic: {
    because: 'the stack in the log tells which part of Harvester fails, and on what',
    what: 'Keep the log, look whether the panic is known upstream, and raise Harvester to a release without it',
    command: LOG,
    refusal: BUG,
    prevention: 'Raise Harvester to a release without this bug.',
  },
  'out-of-memory': {
    because: 'the container was killed for want of memory',
    what: "Look what the container's limit and the node's memory are",
    command: `${PODS}\nkubectl -n harvester-system describe deployment harvester`,
    refusal: NO_RULE,
    prevention: null,
  },
  image: {
    because: 'the container cannot be made',
    what: 'Look which image or configuration is missing, and load it on the node',
    command: 'kubectl -n harvester-system describe pods -l app.kubernetes.io/component=apiserver',
    refusal: 'an image that is missing on a node has to be brought there by a person',
    prevention: null,
  },
  crash: {
    because: 'the last lines of the log are all that tells',
    what: 'Read the log of the last run',
    command: LOG,
    refusal: NO_RULE,
    prevention: null,
  },
};
