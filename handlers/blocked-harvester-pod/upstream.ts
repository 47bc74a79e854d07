import type { Cause } from '../../shared/handler.ts';

const issue = (number: number) => `https://github.com/harvester/harvester/issues/${number}`;

/** The releases whose validator refuses to create the setting storage-network, even empty, while a VM is not stopped. */
export const AFFECTED = { from: 'v1.4.0-rc1', before: 'v1.5.1-rc2' };

/** What upstream says of each cause. `not stated` where the threads name no release. */
export const causes = {
  'storage-network-setting-vs-running-vm': {
    what: 'At start Harvester creates the setting storage-network, and its own validator refuses that while a VM is not stopped or a volume is attached.',
    upstream: [
      {
        issue: issue(8407),
        affected: 'Harvester v1.4.0 to v1.4.3, v1.5.0 and v1.5.1-rc1',
        fixedIn: 'v1.5.1 and v1.6.0 (pull request 8390); nothing in the v1.4 line',
      },
    ],
  },
  'ssl-certificates-setting': {
    what: 'The validator refuses the setting ssl-certificates that Harvester writes at start.',
    upstream: [],
  },
  'webhook-no-endpoints-at-boot': {
    what: 'Harvester starts before a pod of harvester-webhook is ready, and its writes need the answer of that webhook.',
    upstream: [{ issue: issue(4416), affected: 'not stated', fixedIn: 'pull request 4417' }],
  },
  'webhook-config-never-created': {
    what: 'harvester-webhook never registered itself, and Harvester waits three minutes for it before it gives up.',
    upstream: [
      {
        issue: issue(1448),
        affected: 'Harvester v1.1.1 installed as a chart on another cluster, which is not supported',
        fixedIn: 'not a fault of a release: install from the ISO',
      },
    ],
  },
  'webhook-evicted-deadlock': {
    what: 'The pods of harvester-webhook were evicted, and what would bring them back needs their answer.',
    upstream: [],
  },
  'webhook-deadlock-disk-pressure': {
    what: 'A node is tainted for disk pressure, and taking the taint away asks harvester-webhook, which the taint keeps off the node.',
    upstream: [{ issue: issue(2955), affected: 'Harvester v1.0.3, on a single node', fixedIn: 'not stated' }],
  },
  'all-nodes-cordoned-webhook-deadlock': {
    what: 'Every node is cordoned, so that the webhook which must allow the uncordon cannot be scheduled.',
    upstream: [
      { issue: issue(4834), affected: 'Harvester v1.2.1', fixedIn: 'not stated' },
      { issue: issue(5598), affected: 'the same family', fixedIn: 'not stated' },
    ],
  },
  'rancher-webhook-denies-bootstrap': {
    what: "Rancher's webhook refuses the manifests that bootstrap Harvester.",
    upstream: [],
  },
  'panic-vm-backup-nil': {
    what: 'A VM backup from before an upgrade has no backup target, and Harvester reads it without looking.',
    upstream: [{ issue: issue(1644), affected: 'upgrades from v0.3.0 to v1.0.0-rc1', fixedIn: 'pull request 1642' }],
  },
  'panic-indexer-race': {
    what: 'Two parts of Harvester change the indexers of one cache at the same time while it starts.',
    upstream: [],
  },
  'version-syncer-out-of-range': {
    what: 'The part that looks for new versions reads past the end of what it was given.',
    upstream: [],
  },
  unknown: { what: 'The pod does not come up, and what it says matches no known cause.', upstream: [] },
} satisfies Record<string, Cause>;
export type CauseName = keyof typeof causes;
