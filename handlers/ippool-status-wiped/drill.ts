import type { Drill, Hands } from '../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../shared/handler.ts';
import { loadBalancerController } from './load-balancer-controller.ts';

const group = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1' };
const pool: ObjectRef = { ...group, kind: 'IPPool', name: 'pool1' };

const FINALIZERS = {
  pool: 'wrangler.cattle.io/harvester-ipam-controller',
  lb: 'wrangler.cattle.io/harvester-lb-controller',
};
const READY = [{ type: 'Ready', status: 'True', lastUpdateTime: '2026-01-10T08:00:00Z' }];

const loadBalancer = (namespace: string, name: string, workloadType: string, labels: JsonObject, ip: string) => ({
  ...group,
  kind: 'LoadBalancer',
  metadata: { name, namespace, labels, finalizers: [FINALIZERS.lb] },
  spec: {
    ipam: 'pool',
    ipPool: 'pool1',
    workloadType,
    listeners: [{ name: 'http', port: 80, protocol: 'TCP', backendPort: 8080 }],
    backendServerSelector: { 'harvesterhci.io/vmName': ['web-1', 'web-2'] },
  },
  status: {
    address: ip,
    allocatedAddress: { ipPool: 'pool1', ip, mask: '255.255.255.0', gateway: '192.168.5.1' },
    backendServers: ['192.168.5.101', '192.168.5.102'],
    conditions: READY,
  },
});

const deployment = (name: string): JsonObject => {
  const labels = { 'app.kubernetes.io/name': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'harvester-system', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name, image: `rancher/${name}:v1.5.0` }] },
      },
    },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
  };
};

const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const healthy: readonly JsonObject[] = [
  namespace('default'),
  namespace('gc-ns'),
  namespace('harvester-system'),
  deployment('harvester-load-balancer'),
  deployment('harvester-load-balancer-webhook'),
  {
    ...group,
    kind: 'IPPool',
    metadata: {
      name: 'pool1',
      finalizers: [FINALIZERS.pool],
      labels: { 'loadbalancer.harvesterhci.io/global-ip-pool': 'false', 'loadbalancer.harvesterhci.io/vid': '0' },
    },
    spec: {
      ranges: [
        {
          subnet: '192.168.5.0/24',
          gateway: '192.168.5.1',
          rangeStart: '192.168.5.10',
          rangeEnd: '192.168.5.20',
        },
      ],
      selector: { scope: [{ namespace: 'default', project: '*', guestCluster: '*' }] },
    },
    status: {
      total: 11,
      available: 9,
      lastAllocated: '192.168.5.11',
      allocated: { '192.168.5.10': 'default/lb1', '192.168.5.11': 'gc-ns/gc1-default-web-1a2b3c4d' },
      allocatedHistory: { '192.168.5.12': 'default/lb0' },
      conditions: READY,
    },
  },
  loadBalancer('default', 'lb1', 'vm', {}, '192.168.5.10'),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'lb1', namespace: 'default', labels: { 'loadbalancer.harvesterhci.io/servicelb': 'true' } },
    spec: {
      type: 'LoadBalancer',
      loadBalancerIP: '192.168.5.10',
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
    },
    status: { loadBalancer: { ingress: [{ ip: '192.168.5.10' }] } },
  },
  loadBalancer(
    'gc-ns',
    'gc1-default-web-1a2b3c4d',
    'cluster',
    {
      'cloudprovider.harvesterhci.io/cluster': 'gc1',
      'cloudprovider.harvesterhci.io/serviceNamespace': 'default',
      'cloudprovider.harvesterhci.io/serviceName': 'web',
    },
    '192.168.5.11',
  ),
];

/** Creates one more load balancer that takes its address from the drill's pool: after a restart of a wiped one, a duplicate. */
export async function bookNewLoadBalancer(hands: Hands, name = 'lb-new'): Promise<ObjectRef> {
  const { status: _none, ...made } = loadBalancer('default', name, 'vm', {}, '');
  await hands.create(made);
  return { ...group, kind: 'LoadBalancer', namespace: 'default', name };
}

/**
 * Does what the extension's save does after its user has changed the selector: the whole object is sent again, without
 * status, finalizers and ownerReferences (rancher/dashboard shell/plugins/steve/steve-class.js, cleanForSave).
 */
async function breakPool(hands: Hands): Promise<void> {
  const { metadata, spec } = Object(await hands.get(pool));
  const { name, labels = {}, annotations = {} } = metadata;
  const scope = [{ namespace: '*', project: '*', guestCluster: '*' }];
  await hands.put({
    ...group,
    kind: 'IPPool',
    metadata: { name, labels, annotations },
    spec: { ...spec, selector: { ...spec.selector, scope } },
  });
}

const drill: Drill = {
  mode: 'ippool-status-wiped',
  on: 'harvester',
  title: "Save an IP pool through Rancher's UI extension 1.0.4",
  healthy,
  break: breakPool,
  actors: [loadBalancerController()],
};
export default drill;
