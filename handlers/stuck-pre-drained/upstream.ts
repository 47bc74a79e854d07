import type { Cause } from '../../shared/handler.ts';

const harvester = (issue: number, affected: string, fixedIn: string) => ({
  issue: `https://github.com/harvester/harvester/issues/${issue}`,
  affected,
  fixedIn,
});

/** Every cause of this mode, with what upstream says of it. */
export const causes = {
  'pdb-virt-api-node-placement': {
    what: 'KubeVirt 1.3 and newer pins virt-api and virt-controller to control-plane nodes unless spec.infra.nodePlacement is set; with one such node their budgets forbid the last eviction.',
    upstream: [
      harvester(7647, 'upgrades to v1.4.2-rc1', 'v1.4.2-rc2 (pull request 7725)'),
      harvester(7729, 'the same default in every later KubeVirt', 'open; the chart of v1.4.2-rc2 and newer sets it'),
    ],
  },
  'longhorn-orphan-engine': {
    what: 'A Longhorn instance manager counts an engine that is stopped, gone or redundant, and so keeps its budget.',
    upstream: [
      harvester(7366, 'v1.4.0 to v1.4.1', 'no single release'),
      harvester(8977, 'v1.4.1 to v1.4.2 and 1.5 to 1.6', 'no single release'),
      harvester(11605, '1.6 patch upgrades', 'open'),
      { issue: 'https://github.com/longhorn/longhorn/issues/6764', affected: 'Longhorn 1.5', fixedIn: 'unknown' },
    ],
  },
  'single-replica-volume': {
    what: 'The only replica of a volume is on the node, and Longhorn does not let it go.',
    upstream: [
      {
        issue: 'https://docs.harvesterhci.io/latest/host/',
        affected: 'v1.3 and older, whose Longhorn policy is block-if-contains-last-replica',
        fixedIn: 'v1.4.0 (node-drain-policy allow-if-replica-is-stopped)',
      },
    ],
  },
  'pdb-longhorn-last-healthy-replica': {
    what: 'The last healthy replica of a volume is on the node, and the others cannot be rebuilt.',
    upstream: [
      {
        issue: 'https://docs.harvesterhci.io/v1.2/upgrade/v1-1-2-to-v1-2-0/',
        affected: 'all',
        fixedIn: 'none: a volume must be healthy before its node is drained',
      },
    ],
  },
  'pdb-longhorn-last-healthy-replica-too-many-snapshots': {
    what: 'The last healthy replica of a volume is on the node: too many snapshots stop the rebuild of the others.',
    upstream: [],
  },
  'pdb-longhorn-wrong-selector': {
    what: "The budget of one node's instance manager selects the pod of another node.",
    upstream: [],
  },
  'pdb-longhorn-instance-manager': {
    what: 'The budget of a Longhorn instance manager forbids the eviction, and nothing tells why.',
    upstream: [harvester(3228, 'v1.1 and v1.2', 'no single release')],
  },
  'longhorn-two-instance-managers': {
    what: 'Two Longhorn instance managers of one type run on the node; one was left over.',
    upstream: [harvester(3228, 'v1.1 and v1.2', 'no single release')],
  },
  'attached-volume-without-workload': {
    what: 'A volume is attached on the node by hand or by nobody, so Longhorn keeps its engine and budget.',
    upstream: [
      harvester(3648, 'v1.1.1', 'v1.1.2 (pull requests 3670 and 3749)'),
      harvester(3681, 'v1.1.1', 'v1.1.2; since v1.4.0 volumes attached by hand are detached when a node is cordoned'),
    ],
  },
  'expired-rke2-certificates': {
    what: 'Certificates of RKE2 on the node have expired, so its control-plane probes never succeed.',
    upstream: [
      harvester(3863, 'clusters older than a year', 'none: certificates have to be rotated'),
      harvester(9130, 'v1.3.2 to v1.4.0', 'as above'),
      harvester(9765, 'v1.4.1 to v1.4.3', 'as above'),
    ],
  },
  'capi-controller-unauthorized': {
    what: 'The Cluster API controller lost its access to the cluster and no longer sees that the kubelet was upgraded.',
    upstream: [harvester(6041, 'v1.2.2 or v1.3.0 to v1.3.1', 'documented workaround')],
  },
  'planner-waiting-for-probes': {
    what: "Rancher's planner waits for probes of the upgraded node.",
    upstream: [harvester(7553, 'any', 'none: the host has to be looked at')],
  },
  'rke2-server-stuck-activating': {
    what: 'RKE2 does not come up on the host: the service hangs, or its plan was applied by half.',
    upstream: [
      harvester(11359, 'v1.6.1 to v1.7.1', 'none: the host has to be looked at'),
      harvester(8593, 'any', 'none'),
    ],
  },
  'rancher-leader-blocked-helm-operation': {
    what: 'The Rancher leader hangs on a helm operation whose image cannot be pulled, and drains nothing meanwhile.',
    upstream: [harvester(10284, 'v1.7.x to v1.8.0-rc1', 'v1.8.0-rc2')],
  },
  'previous-upgrade-attempt-left-plan': {
    what: 'A plan of an earlier attempt to upgrade is in the way.',
    upstream: [],
  },
  'hook-not-acknowledged': {
    what: 'Harvester finished its pre-drain job and Rancher was never told, so the drain does not begin.',
    upstream: [harvester(10274, 'v1.7.1 and older', 'v1.7.2 and v1.8.0: looked at again every two minutes')],
  },
  'stale-upgrade-cr-after-post-drain': {
    what: 'The post-drain job exists already, and Harvester stumbles over it instead of going on.',
    upstream: [harvester(9293, 'v1.6.1 and older', 'v1.7.0'), harvester(3021, 'v1.1.x', 'v1.7.0')],
  },
  'predrain-job-vmi-failed': {
    what: 'A failed VM of the upgrade repository counts as running, so the pre-drain job waits for it for ever.',
    upstream: [harvester(6094, 'v1.3.0 to v1.3.1', 'unknown'), harvester(5755, 'v1.3', 'unknown')],
  },
  'two-node-anti-affinity-during-drain': {
    what: 'Replicas must not share a node and there is no second one left for them, so their budget forbids the eviction.',
    upstream: [harvester(9765, 'clusters of two nodes', 'none')],
  },
  'pdb-eviction-plus-manual-machine-deletion': {
    what: "A Machine was deleted by hand while the drain was blocked; Rancher's record of the node is gone with it.",
    upstream: [harvester(6022, 'v1.2.2 to v1.3.1', 'none')],
  },
  'kube-vip-on-drained-node': {
    what: 'The virtual IP stays with the drained node and does not answer.',
    upstream: [harvester(11648, 'v1.8.x to v1.9', 'open')],
  },
  'upgrade-v2-predrained': {
    what: 'The experimental upgrade V2 stands still with a node that is pre-drained.',
    upstream: [],
  },
  unknown: { what: 'The upgrade stands still at a node that is pre-drained, and nothing tells why.', upstream: [] },
} satisfies Record<string, Cause>;
export type CauseName = keyof typeof causes;

/** The names, for the schema of a finding. */
export const isCause = (name: string): name is CauseName => Object.hasOwn(causes, name);
