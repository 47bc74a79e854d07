import type { JsonObject } from '../../handler.ts';
import { apart, deployment, made, namespaces, node } from './common.ts';

const VERSION = 'v1.4.2';
export const HARVESTER_KUBERNETES = 'v1.31.4+rke2r1';

const setting = (name: string, value: string, standard = ''): JsonObject =>
  made(['harvesterhci.io/v1beta1', 'Setting'], [undefined, name], { value, default: standard });

const settings = [
  setting('server-version', VERSION),
  setting('log-level', '', 'info'),
  setting('ui-source', '', 'auto'),
  setting('storage-network', ''),
  setting('http-proxy', '', '{}'),
  setting('overcommit-config', '', '{"cpu":1600,"memory":150,"storage":200}'),
  setting('support-bundle-timeout', '', '10'),
  setting('upgrade-checker-enabled', '', 'true'),
];

const labelsOf = (component: string) => ({
  'app.kubernetes.io/name': 'harvester',
  'app.kubernetes.io/component': component,
});

/** harvester deploy/charts/harvester/values.yaml: with one surge alone, three that keep apart could never be replaced. */
const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
const webhook = labelsOf('webhook-server');
const kubeVip = { 'app.kubernetes.io/name': 'kube-vip' };

const workloads: readonly JsonObject[] = [
  deployment({
    namespace: 'harvester-system',
    name: 'harvester',
    labels: labelsOf('apiserver'),
    replicas: 3,
    container: 'apiserver',
    image: `rancher/harvester:${VERSION}`,
    strategy,
    spec: apart(labelsOf('apiserver')),
  }),
  deployment({
    namespace: 'harvester-system',
    name: 'harvester-webhook',
    labels: webhook,
    replicas: 3,
    container: 'harvester-webhook',
    image: `rancher/harvester-webhook:${VERSION}`,
    strategy,
    spec: apart(webhook),
  }),
  made(['v1', 'Service'], ['harvester-system', 'harvester-webhook'], {
    spec: { selector: webhook, ports: [{ name: 'https', port: 443, targetPort: 9443, protocol: 'TCP' }] },
  }),
  made(
    ['apps/v1', 'DaemonSet'],
    ['harvester-system', 'kube-vip'],
    {
      spec: {
        selector: { matchLabels: kubeVip },
        template: {
          metadata: { labels: kubeVip },
          spec: {
            hostNetwork: true,
            nodeSelector: { 'node-role.kubernetes.io/control-plane': 'true' },
            containers: [{ name: 'kube-vip', image: 'rancher/mirrored-kube-vip-kube-vip-iptables:v0.8.1' }],
          },
        },
      },
    },
    kubeVip,
  ),
];

/** What the address of the VIP is written into. */
const addressed = (vip: string): readonly JsonObject[] => [
  made(['v1', 'ConfigMap'], ['harvester-system', 'vip'], {
    data: { enabled: 'true', ip: vip, mode: 'static', hwAddress: '', serviceType: 'LoadBalancer', loadBalancerIP: vip },
  }),
  made(['v1', 'Service'], ['kube-system', 'ingress-expose'], {
    spec: {
      type: 'LoadBalancer',
      loadBalancerIP: vip,
      ports: [{ name: 'https', port: 443, targetPort: 443, protocol: 'TCP' }],
    },
    status: { loadBalancer: { ingress: [{ ip: vip }] } },
  }),
];

/** A healthy Harvester of three nodes, before any failure mode adds what it needs. `vip`: the address of its virtual IP. */
export const harvesterBase = (vip: string): readonly JsonObject[] => [
  ...namespaces('kube-system', 'kube-public', 'kube-node-lease', 'default', 'harvester-system', 'harvester-public'),
  ...namespaces('longhorn-system', 'cattle-system', 'cattle-fleet-system', 'fleet-local', 'cattle-ui-plugin-system'),
  ...['node1', 'node2', 'node3'].map((name, index) =>
    node(name, `192.168.5.${21 + index}`, `Harvester ${VERSION}`, HARVESTER_KUBERNETES),
  ),
  ...settings,
  made(['management.cattle.io/v3', 'Setting'], [undefined, 'server-version'], { value: 'v2.10.1', default: 'v2.10.1' }),
  made(['management.cattle.io/v3', 'Feature'], [undefined, 'multi-cluster-management'], {
    spec: { value: false },
    status: {
      default: true,
      dynamic: false,
      description: 'Multi-cluster provisioning and management of Kubernetes clusters.',
    },
  }),
  ...addressed(vip),
  ...workloads,
];
