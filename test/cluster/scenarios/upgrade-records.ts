import { z } from 'zod';
import { create } from '../bed/create.ts';
import { endsAs } from '../bed/node-agent.ts';
import type { Bed } from '../bed/start-bed.ts';
import { until } from '../bed/until.ts';
import { namespace, nodes } from './pre-drained-objects.ts';

export const upgrade = 'hvst-upgrade-kdlvd';
export const machine = 'custom-0f4b2d1e9a3c';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: object;
  readonly status: object;
}

const completeSchema = z.object({ status: z.object({ completionTime: z.string() }) });

/**
 * Writes down the upgrade in which `arrangePreDrained` happens, as Harvester and Rancher would have: the Upgrade, the
 * KubeVirt object without placement, the pre-drain Job (which really runs and ends), the Machine and the Cluster.
 * Needs `bed.installCrds()`.
 */
export async function recordUpgrade(bed: Bed): Promise<void> {
  const [drained] = nodes;
  await create(bed.request, '/api/v1/namespaces', { metadata: { name: 'fleet-local' } });
  await bed.request('PATCH', `/api/v1/nodes/${drained.name}`, {
    metadata: {
      annotations: { 'cluster.x-k8s.io/machine': machine, 'cluster.x-k8s.io/cluster-namespace': 'fleet-local' },
    },
  });
  // Upgrades have no status subresource: the status is created with the object.
  await create(bed.request, `/apis/harvesterhci.io/v1beta1/namespaces/${namespace}/upgrades`, upgradeObject());
  await withStatus(bed, 'kubevirts', kubeVirt);
  await withStatus(bed, 'machines', machineOf(drained.name));
  await withStatus(bed, 'clusters', cluster);
  await runPreDrainJob(bed, drained.name);
}

async function withStatus(bed: Bed, plural: string, object: Resource): Promise<void> {
  const path = `/apis/${object.apiVersion}/namespaces/${object.metadata.namespace}/${plural}`;
  await create(bed.request, path, object);
  const { code, body } = await bed.request('PATCH', `${path}/${object.metadata.name}/status`, {
    status: object.status,
  });
  if (code !== 200) throw new Error(`the status of ${object.kind}: ${code} ${JSON.stringify(body)}`);
}

async function runPreDrainJob(bed: Bed, node: string): Promise<void> {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const name = `${upgrade}-pre-drain-${node}`;
  const labels = {
    'harvesterhci.io/upgrade': upgrade,
    'harvesterhci.io/upgradeComponent': 'node',
    'harvesterhci.io/node': node,
    'harvesterhci.io/upgradeJobType': 'pre-drain',
  };
  // Straight onto the node: it is cordoned by now.
  const spec = {
    nodeName: node,
    restartPolicy: 'Never',
    containers: [{ name: 'apply', image: 'rancher/harvester-upgrade' }],
  };
  const template = { metadata: { labels, annotations: { [endsAs]: 'Succeeded' } }, spec };
  await create(bed.request, jobs, { metadata: { name, labels }, spec: { backoffLimit: 6, template } });
  await until('the pre-drain Job is complete', async () => {
    const { body } = await bed.request('GET', `${jobs}/${name}`);
    return completeSchema.parse(body).status.completionTime;
  });
}

function upgradeObject(): object {
  const done = ['LogReady', 'ImageReady', 'RepoReady', 'NodesPrepared', 'SystemServicesUpgraded'];
  const [first, ...others] = nodes.map(({ name }) => name);
  return {
    ...{ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Upgrade' },
    metadata: {
      name: upgrade,
      labels: { 'harvesterhci.io/latestUpgrade': 'true', 'harvesterhci.io/upgradeState': 'UpgradingNodes' },
    },
    spec: { version: 'v1.4.2-rc1', image: '' },
    status: {
      previousVersion: 'v1.4.1',
      conditions: [
        ...['Completed', 'NodesUpgraded'].map((type) => ({ type, status: 'Unknown' })),
        ...done.map((type) => ({ type, status: 'True' })),
      ],
      nodeStatuses: Object.fromEntries([
        [first, { state: 'Pre-drained' }],
        ...others.map((name) => [name, { state: 'Images preloaded' }]),
      ]),
    },
  };
}

const kubeVirtConditions = { Available: 'True', Progressing: 'False', Degraded: 'False', Created: 'True' };

const kubeVirt: Resource = {
  ...{ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt' },
  metadata: { namespace, name: 'kubevirt' },
  spec: {},
  status: {
    phase: 'Deployed',
    observedKubeVirtVersion: '1.3.1-150600.5.9.1',
    conditions: Object.entries(kubeVirtConditions).map(([type, status]) => ({ type, status })),
  },
};

const cluster: Resource = {
  ...{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' },
  metadata: { namespace: 'fleet-local', name: 'local' },
  spec: { kubernetesVersion: 'v1.31.4+rke2r1', rkeConfig: {} },
  status: { ready: true, conditions: [waiting('Updated', `draining bootstrap node(s) ${machine}: draining node`)] },
};

function machineOf(node: string): Resource {
  return {
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine' },
    metadata: { namespace: 'fleet-local', name: machine },
    spec: { clusterName: 'local' },
    status: { nodeRef: { kind: 'Node', name: node }, conditions: [waiting('Reconciled', 'draining node')] },
  };
}

function waiting(type: string, message: string): object {
  return { type, status: 'Unknown', reason: 'Waiting', message };
}
