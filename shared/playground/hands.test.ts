import { describe, expect, it } from 'vitest';
import { manualClock } from '../adapters/clock/manual.ts';
import type { JsonObject } from '../handler.ts';
import { apiServer } from './api/api-server.ts';
import { logKey } from './api/pods.ts';
import { chance } from './chance.ts';
import { allCrds } from './crds/index.ts';
import { httpHands } from './hands.ts';
import { at, textAt } from './json.ts';

async function cluster() {
  const clock = manualClock('2026-01-05T10:00:00Z');
  const vips: boolean[] = [];
  const api = apiServer({ clock, version: 'v1.31.4', ...chance('hands'), calls: [], hands: () => hands });
  const hands = httpHands({
    now: () => clock.now(),
    send: (method, path, body, contentType) => api.answer({ method, path, body, contentType }),
    say: async (pod, container, lines, previous) => void api.logs.set(logKey(pod, container, previous), lines),
    vip: (answers) => void vips.push(answers),
  });
  for (const crd of allCrds) await hands.create(crd);
  await hands.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return { hands, api };
}

const pool = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', name: 'pool1' };
const poolObject: JsonObject = {
  apiVersion: pool.apiVersion,
  kind: pool.kind,
  metadata: { name: 'pool1' },
  spec: { ranges: [{ subnet: '192.168.5.0/24' }] },
  status: { total: 11, available: 11, lastAllocated: '' },
};
const kubeVirt = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', namespace: 'default', name: 'kubevirt' };
const kubeVirtObject: JsonObject = {
  apiVersion: kubeVirt.apiVersion,
  kind: kubeVirt.kind,
  metadata: { name: 'kubevirt', namespace: 'default' },
  spec: {},
  status: { phase: 'Deployed' },
};

describe('full rights on a cluster', () => {
  it('create an object with its status, whether or not the status is a subresource', async () => {
    const { hands } = await cluster();

    await hands.create(poolObject);
    await hands.create(kubeVirtObject);

    expect(at(await hands.get(pool), 'status')).toEqual(poolObject.status);
    expect(at(await hands.get(kubeVirt), 'status')).toEqual({ phase: 'Deployed' });
  });

  it('leave alone what exists already', async () => {
    const { hands } = await cluster();
    await hands.create(kubeVirtObject);

    await hands.create({ ...kubeVirtObject, spec: { infra: {} }, status: { phase: 'Deleting' } });

    expect(await hands.get(kubeVirt)).toMatchObject({ spec: {}, status: { phase: 'Deployed' } });
  });

  it('erase by a PUT what they leave out, except a status that has a path of its own', async () => {
    const { hands } = await cluster();
    await hands.create(poolObject);
    await hands.create(kubeVirtObject);
    const { status: _, ...withoutStatus } = poolObject;
    const { status: __, ...withoutPhase } = kubeVirtObject;

    await hands.put(withoutStatus);
    await hands.put(withoutPhase);

    expect(at(await hands.get(pool), 'status')).toBeUndefined();
    expect(at(await hands.get(kubeVirt), 'status')).toEqual({ phase: 'Deployed' });
  });

  it('merge the status where it is, for both sorts of kinds', async () => {
    const { hands } = await cluster();
    await hands.create(poolObject);
    await hands.create(kubeVirtObject);

    await hands.merge(pool, { status: { available: 9 } }, 'status');
    await hands.merge(kubeVirt, { status: { phase: 'Deploying' } }, 'status');

    expect(at(await hands.get(pool), 'status', 'available')).toBe(9);
    expect(at(await hands.get(kubeVirt), 'status', 'phase')).toBe('Deploying');
  });

  it('list with the kind in every object, by labels and fields', async () => {
    const { hands } = await cluster();
    for (const [name, colour] of [
      ['a', 'red'],
      ['b', 'blue'],
    ] as const) {
      await hands.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default', labels: { colour } },
      });
    }

    const red = await hands.list(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { namespace: 'default', labels: { colour: 'red' } },
    );
    const b = await hands.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { fields: { 'metadata.name': 'b' } });

    expect(red.map((object) => [object.apiVersion, object.kind, textAt(object, 'metadata', 'name')])).toEqual([
      ['v1', 'ConfigMap', 'a'],
    ]);
    expect(b.map((object) => textAt(object, 'metadata', 'name'))).toEqual(['b']);
  });

  it('find nothing of a kind that nobody serves, and say so where they should make one', async () => {
    const { hands } = await cluster();
    const gizmo = { apiVersion: 'gleaner.test/v1', kind: 'Gizmo', name: 'x' };

    expect(await hands.get(gizmo)).toBeUndefined();
    expect(await hands.list(gizmo)).toEqual([]);
    await hands.remove(gizmo);
    await expect(hands.create({ ...gizmo, metadata: { name: 'x' } })).rejects.toThrow(
      'Gizmo (gleaner.test/v1) is not served by this cluster',
    );
  });

  it('take a kind away with its definition and everything of it, and bring it back', async () => {
    const { hands } = await cluster();
    await hands.create(poolObject);
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'ippools.loadbalancer.harvesterhci.io',
    };
    const crd = allCrds.find((each) => textAt(each, 'metadata', 'name') === definition.name);

    await hands.remove(definition);
    const without = [await hands.get(pool), await hands.list(pool)];
    await hands.create(crd ?? {});

    expect(without).toEqual([undefined, []]);
    expect(await hands.list(pool)).toEqual([]);
    await hands.create(poolObject);
    expect(at(await hands.get(pool), 'status', 'total')).toBe(11);
  });

  it('say what the server said where it refuses', async () => {
    const { hands } = await cluster();

    await expect(hands.create({ ...poolObject, status: { total: 1 } })).rejects.toThrow(
      /POST .*ippools: 422 IPPool.loadbalancer.harvesterhci.io "pool1" is invalid/,
    );
    await expect(hands.merge(pool, { spec: {} })).rejects.toThrow(
      '404 ippools.loadbalancer.harvesterhci.io "pool1" not found',
    );
    await expect(hands.put(poolObject)).rejects.toThrow('IPPool pool1 is not there');
  });
});
