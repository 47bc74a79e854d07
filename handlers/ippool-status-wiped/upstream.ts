import type { Cause } from '../../shared/handler.ts';

const github = 'https://github.com';
const saves = {
  issue: `${github}/harvester/harvester/issues/7942`,
  affected: 'Harvester UI extension 1.0.0 to 1.0.4 and 1.5.0-rc1, on Rancher 2.10.0 or newer',
  fixedIn: 'Harvester UI extension 1.0.5 and 1.5.0-rc2',
};
const audit = { ...saves, issue: `${github}/harvester/harvester/issues/7971` };

/** What upstream says of each cause. */
export const causes = {
  'ui-extension-wiped-status': {
    what: "A save of the pool in Rancher's Harvester UI extension sent it without its status, and the kind has no status subresource that would have kept it.",
    upstream: [saves, audit],
  },
  'ui-yaml-edit-wiped-status': {
    what: 'The pool was saved from the "Edit as YAML" page of the Harvester dashboard, which sent it without its status.',
    upstream: [
      {
        issue: `${github}/harvester/harvester/issues/1458`,
        affected: 'Harvester v1.2.0 and its release candidates',
        fixedIn: 'not stated; the page of UI extension 1.0.5 keeps the status',
      },
    ],
  },
  'ui-extension-wiped-status-upgrade': {
    what: '"Dismiss it" of an upgrade\'s message saved the Upgrade without its status; Harvester may start that upgrade again.',
    upstream: [{ ...saves, issue: `${github}/harvester/harvester/issues/7791` }],
  },
  'ui-extension-wiped-status-other-kinds': {
    what: 'A save in the UI sent an object of another kind without a status subresource without its status.',
    upstream: [
      {
        issue: `${github}/harvester/harvester/issues/6030`,
        affected: 'Harvester v1.3.0, images edited as YAML',
        fixedIn: 'v1.6.0',
      },
      { ...saves, issue: `${github}/harvester/harvester/issues/7516` },
      audit,
    ],
  },
  'stale-allocation': {
    what: 'The pool books an address for a load balancer that is gone or waits for one, or does not book one that is in use.',
    upstream: [
      {
        issue: `${github}/harvester/harvester/issues/7449`,
        affected: 'load-balancer-harvester v0.4.x (Harvester v1.4.x)',
        fixedIn: 'load-balancer-harvester v1.5.0 (Harvester v1.5.0)',
      },
    ],
  },
  'wrong-pool-recorded': {
    what: 'The load balancer names another pool than the one that gave it its address.',
    upstream: [
      {
        issue: `${github}/harvester/harvester/issues/4372`,
        affected: 'release candidates of Harvester v1.2.0',
        fixedIn: 'v1.2.0',
      },
    ],
  },
  'allocated-migrated-wrong': {
    what: "The upgrade wrote the addresses of kube-vip's pools as live bookings, so that their own load balancers are refused them.",
    upstream: [
      {
        issue: `${github}/harvester/harvester/issues/4329`,
        affected: 'upgrades from Harvester v1.1.2 to release candidates of v1.2.0',
        fixedIn: 'v1.2.0 (load-balancer-harvester pull request 18)',
      },
    ],
  },
  unknown: {
    what: 'The status of a pool does not agree with the load balancers, and nothing tells why.',
    upstream: [],
  },
} satisfies Record<string, Cause>;
export type CauseName = keyof typeof causes;
