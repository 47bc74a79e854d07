import type { Cause } from '../../shared/handler.ts';

const harvester = (issue: number, affected: string, fixedIn: string) => ({
  issue: `https://github.com/harvester/harvester/issues/${issue}`,
  affected,
  fixedIn,
});

/** Every cause of this mode, with what upstream says of it. Many lie on the host, and the API shows only that it is silent. */
export const causes = {
  'promotion-to-server-failed': {
    what: 'The promotion of a worker to the control plane failed or hangs, and the node stays cordoned.',
    upstream: [
      harvester(3091, 'v1.0.3', 'unknown'),
      harvester(3039, 'v1.0.3', 'unknown'),
      harvester(5158, 'unknown', 'unknown'),
      harvester(8968, 'unknown', 'unknown'),
    ],
  },
  'node-ip-changed': {
    what: 'The address of the node changed, often because a network interface was renamed or DHCP gave another one.',
    upstream: [
      harvester(9260, 'nodes whose address comes from DHCP', 'unknown'),
      harvester(9815, 'nodes whose network interfaces are renamed by an upgrade', 'unknown'),
    ],
  },
  'agent-lb-connectivity-lost': {
    what: 'A worker lost the API server while the only control-plane node was drained or rebooted.',
    upstream: [harvester(6432, 'v1.3.1 to v1.3.2', 'fixed in the path (pull request 6461)')],
  },
  'agent-pinned-to-failed-server': {
    what: 'A worker keeps the address of one control-plane node that is gone, instead of the virtual IP.',
    upstream: [harvester(1521, 'v0.3.0', 'later releases, whose agents use the virtual IP')],
  },
  'node-does-not-rejoin-after-reboot': {
    what: 'The node was rebooted by the upgrade and did not come back.',
    upstream: [
      harvester(4290, 'v1.1.2 to v1.2.0-rc4', 'unknown'),
      harvester(11096, 'v1.8.1 to v1.9 development builds', 'unknown'),
    ],
  },
  'rke2-server-not-starting': { what: 'RKE2 does not start on the host.', upstream: [] },
  'rke2-server-stuck-activating': {
    what: 'RKE2 hangs in activating on the host.',
    upstream: [harvester(11359, 'v1.6.1 to v1.7.1', 'none: the host has to be looked at')],
  },
  'kube-vip-conflict': {
    what: 'kube-vip cannot work beside something else: a port or an address is taken.',
    upstream: [harvester(11465, 'unknown', 'unknown'), harvester(7293, 'any', 'none')],
  },
  'vip-lost-during-upgrade': {
    what: 'The virtual IP was lost in the course of an upgrade.',
    upstream: [harvester(11440, 'v1.9.0-rc5', 'unknown'), harvester(11634, 'v1.8.2 to v1.9', 'open')],
  },
  'vip-unreachable-after-power-loss': {
    what: 'After all nodes came back from a loss of power the virtual IP does not answer.',
    upstream: [],
  },
  'node-authorizer-selectors': {
    what: 'The console of an old release asks the API server in a way that Kubernetes 1.32 refuses; only its text is wrong.',
    upstream: [harvester(7963, 'consoles up to v1.5.0-rc3 with Kubernetes 1.32 or newer', 'v1.5.0')],
  },
  'console-check-only': {
    what: 'Only the text on the console is wrong; Kubernetes and the virtual IP are well.',
    upstream: [],
  },
  'version-mismatch-or-console-only': {
    what: 'Nodes of different releases stand side by side, and a console shows NotReady.',
    upstream: [],
  },
  'join-unauthorized': { what: 'A joining node is refused: its token is not accepted.', upstream: [] },
  'join-x509-unknown-authority': {
    what: 'A joining node does not know the authority of the certificate behind the virtual IP.',
    upstream: [harvester(2169, 'v1.0.1', 'documented')],
  },
  'oem-config-not-loaded': { what: 'The configuration in /oem was not loaded at boot.', upstream: [] },
  'power-loss': { what: 'The node lost its power.', upstream: [] },
  'upgraded-node-not-ready-arm': {
    what: 'An upgraded ARM node does not become Ready with v1.9.',
    upstream: [harvester(11634, 'v1.8.2 to v1.9 on ARM', 'open')],
  },
  unknown: { what: 'A node is not Ready, or the virtual IP does not answer; the cause lies on a host.', upstream: [] },
} satisfies Record<string, Cause>;
export type CauseName = keyof typeof causes;
