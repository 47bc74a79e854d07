import type { Cause } from '../../shared/handler.ts';

const rancher = 'https://github.com/rancher/rancher/issues';

/** What upstream says of each cause. */
export const causes = {
  'by-design-before-2.11': {
    what: 'This Rancher turns the driver on with the flag and never off: so it was decided in 2021.',
    upstream: [
      { issue: `${rancher}/34886`, affected: 'Rancher up to 2.10.12, and 2.11.0-alpha1 to alpha7', fixedIn: '2.11.0' },
      { issue: `${rancher}/48920`, affected: 'Rancher up to 2.10.12; not backported', fixedIn: '2.11.0 and 2.12.0' },
    ],
  },
  'feature-handler-does-not-sync-driver': {
    what: 'The feature handler of Rancher did not carry the flag over to the driver.',
    upstream: [{ issue: `${rancher}/48920`, affected: 'Rancher before 2.11.0-rc8', fixedIn: '2.11.0 and 2.12.0' }],
  },
  'baremetal-flag-unset-crash': {
    what: 'Before it comes to the driver, the feature handler crashes on the bare-metal flag, which was never set.',
    upstream: [
      {
        issue: `${rancher}/49303`,
        affected: 'Rancher 2.11.0-alpha8 to 2.11.0-rc7',
        fixedIn: '2.11.0-rc8 (pull request 49557) and 2.12.0 (49340)',
      },
    ],
  },
  'driver-in-use-by-clusters': {
    what: 'Clusters were made with the driver: it stays active on purpose, and must.',
    upstream: [
      {
        issue: `${rancher}/41128`,
        affected: 'every Rancher: deactivation deletes the machine configurations of such clusters',
        fixedIn: 'not a fault of the flag',
      },
    ],
  },
  unknown: { what: 'The driver is active while the flag is off, and nothing tells why.', upstream: [] },
} satisfies Record<string, Cause>;
export type CauseName = keyof typeof causes;
