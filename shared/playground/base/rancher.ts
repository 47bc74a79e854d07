import type { JsonObject } from '../../handler.ts';
import { deployment, made, namespaces, node } from './common.ts';

const VERSION = 'v2.10.3';
export const RANCHER_KUBERNETES = 'v1.31.4+rke2r1';

const rancher = { app: 'rancher' };
const webhook = { app: 'rancher-webhook' };

const setting = (name: string, value: string, standard = ''): JsonObject =>
  made(['management.cattle.io/v3', 'Setting'], [undefined, name], { value, default: standard });

const feature = (name: string, standard: boolean, dynamic: boolean, description: string): JsonObject =>
  made(['management.cattle.io/v3', 'Feature'], [undefined, name], {
    spec: { value: null },
    status: { default: standard, dynamic, description },
  });

/** A healthy Rancher of one node that manages clusters, before any failure mode adds what it needs. */
export const rancherBase = (): readonly JsonObject[] => [
  ...namespaces('kube-system', 'kube-public', 'kube-node-lease', 'default', 'cattle-system', 'cattle-fleet-system'),
  ...namespaces('fleet-local', 'fleet-default', 'cattle-global-data', 'cattle-ui-plugin-system'),
  node('rancher1', '192.168.5.11', 'SUSE Linux Enterprise Server 15 SP6', RANCHER_KUBERNETES),
  setting('server-version', VERSION, VERSION),
  setting('server-url', 'https://rancher.example.test'),
  feature('multi-cluster-management', true, false, 'Multi-cluster provisioning and management of Kubernetes clusters.'),
  deployment({
    namespace: 'cattle-system',
    name: 'rancher',
    labels: rancher,
    replicas: 1,
    container: 'rancher',
    image: `rancher/rancher:${VERSION}`,
  }),
  deployment({
    namespace: 'cattle-system',
    name: 'rancher-webhook',
    labels: webhook,
    replicas: 1,
    container: 'rancher-webhook',
    image: 'rancher/rancher-webhook:v0.6.4',
  }),
  made(['v1', 'Service'], ['cattle-system', 'rancher-webhook'], {
    spec: { selector: webhook, ports: [{ name: 'https', port: 443, targetPort: 9443, protocol: 'TCP' }] },
  }),
];
