import type { Drill } from '../../shared/drill.ts';
import type { JsonObject } from '../../shared/handler.ts';
import { FORMS } from './belongings.ts';
import { BAREMETAL, HARVESTER, MULTI_CLUSTER } from './flags.ts';
import { definitions, driverController, featureHandler } from './rancher-controllers.ts';

const management = { apiVersion: 'management.cattle.io/v3' };

const feature = (name: string, value: boolean | null, byDefault: boolean, description: string): JsonObject => ({
  ...management,
  kind: 'Feature',
  metadata: { name },
  spec: { value },
  status: { default: byDefault, dynamic: true, description, lockedValue: null },
});

/** What other drivers have in Rancher's forms stays there. */
const schema = (name: string, ...fields: string[]): JsonObject => ({
  ...management,
  kind: 'DynamicSchema',
  metadata: { name },
  spec: {
    schemaName: name,
    resourceFields: Object.fromEntries(fields.map((field) => [field, { type: field.toLowerCase() }])),
  },
});

const labels = { app: 'rancher-webhook' };

const healthy: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cattle-system' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet-default' } },
  { ...management, kind: 'Setting', metadata: { name: 'server-version' }, value: 'v2.10.3', default: 'v2.10.3' },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'rancher-webhook', namespace: 'cattle-system', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'rancher-webhook', image: 'rancher/rancher-webhook:v0.6.4' }] },
      },
    },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
  },
  feature(HARVESTER, true, true, 'Enable Harvester integration'),
  feature(BAREMETAL, null, false, 'Deploy container workloads on Harvester itself'),
  feature(MULTI_CLUSTER, null, true, 'Multi-cluster provisioning and management'),
  ...definitions,
  ...FORMS.map(({ schema: name, field }) =>
    schema(name, field, name === 'credentialconfig' ? 'amazonec2credentialConfig' : 'amazonec2Config'),
  ),
  schema('harvesterconfig', 'cpuCount', 'memorySize', 'diskInfo', 'networkInfo'),
  {
    ...management,
    kind: 'NodeDriver',
    metadata: {
      name: 'harvester',
      annotations: { publicCredentialFields: 'clusterType,clusterId', privateCredentialFields: 'kubeconfigContent' },
    },
    spec: {
      displayName: 'harvester',
      description: '',
      url: 'https://github.com/harvester/docker-machine-driver-harvester/releases/download/v1.0.1/docker-machine-driver-harvester-amd64.tar.gz',
      externalId: '',
      builtin: true,
      active: true,
      addCloudCredential: false,
      checksum: '',
      uiUrl: '',
      whitelistDomains: ['github.com'],
    },
    status: {
      conditions: ['Downloaded', 'Installed', 'Active', 'Inactive'].map((type) => ({ type, status: 'True' })),
    },
  },
];

const drill: Drill = {
  mode: 'driver-active-after-flag-disable',
  on: 'rancher',
  title: 'Turn the feature flag harvester off in Rancher 2.10',
  healthy,
  async break(hands) {
    await hands.merge({ ...management, kind: 'Feature', name: HARVESTER }, { spec: { value: false } });
  },
  actors: [featureHandler, driverController],
};
export default drill;
