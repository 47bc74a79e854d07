import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SubresourceCall, serveSubresources } from './bed/aggregated.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { until } from './bed/until.ts';

const machine = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/vm1';
const calls: SubresourceCall[] = [];

let bed: Bed;

beforeAll(async () => {
  bed = await startBed({ controllers: [], scheduler: false });
  await serveSubresources(bed, (call) => {
    calls.push(call);
    return call.verb === 'stop' ? { code: 202 } : { code: 409, body: { message: 'VM is already running' } };
  });
});

afterAll(() => bed?.stop());

describe('the subresources of a virtual machine', () => {
  it('reach the function of the test, with the caller whom the API server knows', async () => {
    const stopped = await bed.request('PUT', `${machine}/stop`, { dryRun: ['All'] });

    expect(stopped.code).toBe(202);
    expect(calls).toEqual([
      { namespace: 'default', name: 'vm1', verb: 'stop', body: { dryRun: ['All'] }, user: 'admin' },
    ]);
  });

  it('answer what the function says', async () => {
    const started = await bed.request('PUT', `${machine}/start`, {});

    expect(started).toMatchObject({ code: 409, body: { message: 'VM is already running' } });
  });

  it('are closed to who lacks the right to update them', async () => {
    const before = calls.length;

    const refused = await bed.as('compromised')('PUT', `${machine}/stop`, {});

    expect(refused.code).toBe(403);
    expect(calls).toHaveLength(before);
  });

  it('are open to whom a role gives that right', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1';
    const rule = { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/stop'], verbs: ['update'] };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'gleaner-applier' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'stops' };
    await bed.request('POST', `${roles}/clusterroles`, { metadata: { name: 'stops' }, rules: [rule] });
    await bed.request('POST', `${roles}/clusterrolebindings`, { metadata: { name: 'stops' }, roleRef, subjects });

    const stop = bed.as('gleaner-applier');
    // The API server reads a role a moment after it was written.
    await until(
      'the role is in force',
      async () => (await stop('PUT', `${machine}/stop`, {})).code === 202 || undefined,
    );

    expect(calls.at(-1)).toHaveProperty('user', 'gleaner-applier');
  });
});
