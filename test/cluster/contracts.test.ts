import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from './bed/create.ts';
import { metadataOf } from './bed/metadata-of.ts';
import { startNodeAgent } from './bed/node-agent.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { until } from './bed/until.ts';

const pools = '/apis/loadbalancer.harvesterhci.io/v1beta1/ippools';
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

let bed: Bed;

beforeAll(async () => {
  bed = await startBed();
  await bed.installCrds();
});

afterAll(() => bed?.stop());

describe('a kind without status subresource', () => {
  it('loses its status when it is put without one', async () => {
    const status = { total: 11, available: 11, lastAllocated: '' };
    await create(bed.request, pools, { ...pool('wiped'), status });
    const before = await bed.request('GET', `${pools}/wiped`);

    const { resourceVersion } = metadataOf(before.body);
    const put = await bed.request('PUT', `${pools}/wiped`, pool('wiped', { resourceVersion }));

    expect(before.body).toMatchObject({ status });
    expect(put.code).toBe(200);
    expect(put.body).not.toHaveProperty('status');
  });

  it('has no path of its own for the status', async () => {
    await create(bed.request, pools, pool('plain'));

    expect(await bed.request('GET', `${pools}/plain/status`)).toHaveProperty('code', 404);
  });

  it('refuses a status that lacks what the schema requires', async () => {
    await create(bed.request, pools, pool('partial'));

    const patched = await bed.request('PATCH', `${pools}/partial`, { status: { total: 11 } });

    expect(patched.code).toBe(422);
  });
});

describe('a dry run of a delete', () => {
  it('leaves the object where dryRun stands in the body', async () => {
    await create(bed.request, configMaps, { metadata: { name: 'spared' } });
    const { uid } = metadataOf((await bed.request('GET', `${configMaps}/spared`)).body);

    const deleted = await bed.request('DELETE', `${configMaps}/spared`, { dryRun: ['All'], preconditions: { uid } });

    expect(deleted.code).toBe(200);
    expect(await bed.request('GET', `${configMaps}/spared`)).toHaveProperty('code', 200);
  });

  it('really deletes where dryRun stands in the query beside a body', async () => {
    await create(bed.request, configMaps, { metadata: { name: 'gone' } });
    const { uid } = metadataOf((await bed.request('GET', `${configMaps}/gone`)).body);

    const deleted = await bed.request('DELETE', `${configMaps}/gone?dryRun=All`, { preconditions: { uid } });

    expect(deleted.code).toBe(200);
    expect(await bed.request('GET', `${configMaps}/gone`)).toHaveProperty('code', 404);
  });
});

describe('an eviction', () => {
  it('is refused with 429 while the budget allows none', async () => {
    await startNodeAgent(bed, [{ name: 'n1' }]);
    await create(bed.request, budgets, budget('guarded'));
    await create(bed.request, pods, pod('guarded'));
    await until('the budget counts the pod', async () => {
      const { body } = await bed.request('GET', `${budgets}/guarded`);
      return expect(body).toMatchObject({ status: { currentHealthy: 1, disruptionsAllowed: 0 } }) ?? true;
    });

    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'guarded' } };
    const { code, body } = await bed.request('POST', `${pods}/guarded/eviction`, eviction);

    expect(code).toBe(429);
    expect(body).toMatchObject({ reason: 'TooManyRequests', details: { causes: [{ reason: 'DisruptionBudget' }] } });
  });
});

function pool(name: string, metadata = {}): object {
  return {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name, ...metadata },
    spec: { ranges: [{ subnet: '192.168.5.0/24', rangeStart: '192.168.5.10', rangeEnd: '192.168.5.20' }] },
  };
}

function budget(name: string): object {
  return { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app: name } } } };
}

function pod(name: string): object {
  return { metadata: { name, labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'none' }] } };
}
