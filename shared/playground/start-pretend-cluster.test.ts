import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { until } from '../../test/cluster/bed/until.ts';
import { scaledClock } from '../adapters/clock/scaled.ts';
import type { Drill } from '../drill.ts';
import { type JsonObject, JsonValue } from '../handler.ts';
import { condition, isReady } from './actors/pod-facts.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { type PretendCluster, startPretendCluster } from './start-pretend-cluster.ts';

const START = new Date('2026-01-05T10:00:00Z');
const pool = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', name: 'pool1' };
const config = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'made-by-hand' };
const machine = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace: 'default', name: 'vm1' };

/** A drill of our own: a pool whose status is wiped, a controller that counts its turns, and a stop of a machine. */
const drill: Drill = {
  mode: 'test-mode',
  on: 'harvester',
  title: 'Wipe the pool',
  healthy: [
    {
      apiVersion: pool.apiVersion,
      kind: pool.kind,
      metadata: { name: 'pool1' },
      spec: { ranges: [{ subnet: '192.168.5.0/24' }] },
      status: { total: 11, available: 11, lastAllocated: '' },
    },
    {
      apiVersion: machine.apiVersion,
      kind: machine.kind,
      metadata: { name: 'vm1', namespace: 'default' },
      spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } } },
      status: { printableStatus: 'Running' },
    },
  ],
  async break(hands) {
    await hands.put({
      apiVersion: pool.apiVersion,
      kind: pool.kind,
      metadata: { name: 'pool1' },
      spec: { ranges: [{ subnet: '192.168.5.0/24' }] },
    });
    await hands.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'made-by-hand', namespace: 'default', finalizers: ['test/hold'] },
    });
    await hands.remove(machine);
    hands.vip(false);
  },
  actors: [
    { name: 'stumbler', plays: 'nobody', act: () => Promise.reject(new Error('stumbled')) },
    {
      name: 'labeller',
      plays: 'nobody',
      async act(hands) {
        const found = await hands.get(config);
        if (found && textAt(found, 'metadata', 'labels', 'seen') === undefined)
          await hands.merge(config, { metadata: { labels: { seen: 'yes' } } });
      },
    },
  ],
  calls: [
    {
      group: 'subresources.kubevirt.io',
      resource: 'virtualmachines/stop',
      async answer(hands, target, body) {
        if (body.dryRun === undefined)
          await hands.merge({ ...machine, ...target }, { status: { printableStatus: 'Stopped' } }, 'status');
        return { code: 202, body: {} };
      },
    },
  ],
  async afterwards(hands) {
    await hands.merge(pool, { metadata: { labels: { over: 'yes' } } });
  },
};

const stumbles: string[] = [];
let cluster: PretendCluster;
const get = async (path: string, headers: Record<string, string> = { authorization: `Bearer ${cluster.token}` }) => {
  const response = await fetch(`${cluster.url}${path}`, { headers, signal: AbortSignal.timeout(5_000) });
  return { code: response.status, date: response.headers.get('date'), body: JsonValue.parse(await response.json()) };
};

beforeAll(async () => {
  cluster = await startPretendCluster({
    flavour: 'harvester',
    name: 'barn',
    clock: scaledClock(START, 60),
    drills: [drill, { ...drill, mode: 'of-rancher', on: 'rancher' }],
    trouble: (actor, error) => stumbles.push(`${actor}: ${error}`),
  });
});
afterAll(() => cluster.stop());

describe('a pretend Harvester', () => {
  it('is healthy when it has started', async () => {
    const [nodes, pods, deployments] = await Promise.all(
      ['/api/v1/nodes', '/api/v1/pods', '/apis/apps/v1/deployments'].map(async (path) =>
        listAt((await get(path)).body, 'items'),
      ),
    );

    const status = (object: JsonObject, type: string) => textAt(condition(object, type), 'status');
    const objects = (items: readonly unknown[] | undefined) =>
      (items ?? [])
        .map((item) => JsonValue.parse(item))
        .filter((item): item is JsonObject => typeof item === 'object' && item !== null);
    expect(objects(nodes).map((node) => status(node, 'Ready'))).toEqual(['True', 'True', 'True']);
    expect(objects(pods).length).toBeGreaterThan(8);
    expect(objects(pods).every(isReady)).toBe(true);
    expect(objects(deployments).map((each) => status(each, 'Available'))).toEqual(
      objects(deployments).map(() => 'True'),
    );
  });

  it('keeps its id from start to start, and tells clusters apart by their names', async () => {
    const clock = scaledClock(START, 60);
    const [again, other] = await Promise.all(
      ['barn', 'shed'].map((name) => startPretendCluster({ flavour: 'harvester', name, clock, drills: [] })),
    );

    expect(again?.id).toBe(cluster.id);
    expect(other?.id).not.toBe(cluster.id);
    expect(textAt((await get('/api/v1/namespaces/kube-system')).body, 'metadata', 'uid')).toBe(cluster.id);
    await Promise.all([again?.stop(), other?.stop()]);
  });

  it('lets nobody in without the token, except to its version and health', async () => {
    expect((await get('/api/v1/nodes', {})).code).toBe(401);
    expect((await get('/api/v1/nodes', { authorization: 'Bearer other' })).body).toMatchObject({
      kind: 'Status',
      reason: 'Unauthorized',
    });
    expect((await get(`/as/${cluster.token}/api/v1/nodes`, {})).code).toBe(200);
    expect((await get('/as/other/api/v1/nodes', {})).code).toBe(401);
    expect((await get('/version', {})).body).toMatchObject({ gitVersion: 'v1.31.4+rke2r1' });
  });

  it('carries the date of the shared clock', async () => {
    const { date } = await get('/version');

    expect(date).toContain('05 Jan 2026');
  });

  it('hands out a kubeconfig that works', async () => {
    const { clusters, users } = parse(cluster.kubeconfig());

    const response = await fetch(`${clusters[0].cluster.server}/api/v1/nodes`, {
      headers: { authorization: `Bearer ${users[0].user.token}` },
    });

    expect(response.status).toBe(200);
  });

  it('answers bad input with a Status and goes on', async () => {
    const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' };
    const post = (body: string) =>
      fetch(`${cluster.url}/api/v1/namespaces/default/configmaps`, { method: 'POST', headers, body });

    expect((await post('{ no json')).status).toBe(400);
    expect((await post('[1, 2]')).status).toBe(400);
    expect((await post('"x"')).status).toBe(400);
    expect((await post(JSON.stringify({ data: { big: 'x'.repeat(4_000_000) } }))).status).toBe(413);
    expect((await get('/nowhere').catch(() => ({ code: 0 }))).code).toBe(0);
    expect((await get('/api/v1/nodes')).code).toBe(200);
  });

  it('passes a subresource on to who plays the aggregated API, and lists it', async () => {
    const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' };
    const stop = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/vm1/stop';
    const put = (body: JsonObject) =>
      fetch(`${cluster.url}${stop}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    const state = async () => textAt(await cluster.hands.get(machine), 'status', 'printableStatus');

    const dry = await put({ dryRun: ['All'] });
    const before = await state();
    const real = await put({});

    expect([dry.status, before, real.status, await state()]).toEqual([202, 'Running', 202, 'Stopped']);
    expect((await get('/apis/subresources.kubevirt.io/v1')).body).toMatchObject({
      resources: [{ name: 'virtualmachines/stop' }],
    });
  });

  it('goes on when an actor stumbles, and tells it', async () => {
    await until('the stumble is told', () => stumbles.includes('stumbler: Error: stumbled') || undefined);

    const renewed = async () =>
      textAt(
        await cluster.hands.get({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          namespace: 'kube-node-lease',
          name: 'node1',
        }),
        'spec',
        'renewTime',
      ) ?? '';
    const before = await renewed();
    await until('the lease is renewed', async () => (await renewed()) > before || undefined);
  });

  it('has only the drills of its flavour, and names them where it is asked for another', async () => {
    expect(cluster.drills.map(({ mode }) => mode)).toEqual(['test-mode']);
    await expect(async () => cluster.break('of-rancher')).rejects.toThrow(
      'no drill of cluster barn is called of-rancher: it has test-mode',
    );
  });
});

describe('a drill', () => {
  const vip = async () => {
    const ip = textAt(
      await cluster.hands.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'harvester-system', name: 'vip' }),
      'data',
      'ip',
    );
    const response = await fetch(`http://${ip}/v1/harvester/cluster/local`, { signal: AbortSignal.timeout(300) }).catch(
      () => undefined,
    );
    return response?.status;
  };

  it('breaks the cluster, what follows comes by itself, and a reset makes all of it well again', async () => {
    const before = await cluster.hands.get(pool);
    const machineBefore = textAt(await cluster.hands.get(machine), 'metadata', 'uid');
    expect(await vip()).toBe(200);

    await cluster.break('test-mode');
    await until('the actor has seen it', async () =>
      textAt(await cluster.hands.get(config), 'metadata', 'labels', 'seen'),
    );
    await cluster.afterwards('test-mode');
    const broken = await cluster.hands.get(pool);
    const gone = await cluster.hands.get(machine);
    const silent = await vip();
    await cluster.reset();

    expect([at(broken, 'status'), textAt(broken, 'metadata', 'labels', 'over'), gone, silent]).toEqual([
      undefined,
      'yes',
      undefined,
      undefined,
    ]);
    expect(await vip()).toBe(200);
    const after = await cluster.hands.get(pool);
    expect(at(after, 'status')).toEqual({ total: 11, available: 11, lastAllocated: '' });
    expect(textAt(after, 'metadata', 'uid')).toBe(textAt(before, 'metadata', 'uid'));
    expect(at(after, 'metadata', 'labels')).toBeUndefined();
    expect(await cluster.hands.get(config)).toBeUndefined();
    const again = await cluster.hands.get(machine);
    expect(textAt(again, 'status', 'printableStatus')).toBe('Running');
    expect(textAt(again, 'metadata', 'uid')).not.toBe(machineBefore);
  });

  it('of a silent node ends with its pods elsewhere after five minutes, and back on a reset', async () => {
    const fast = await startPretendCluster({
      flavour: 'harvester',
      name: 'fast',
      clock: scaledClock(START, 600),
      drills: [],
    });
    const node = { apiVersion: 'v1', kind: 'Node', name: 'node3' };
    const conditions = listAt(await fast.hands.get(node), 'status', 'conditions');
    const unknown = conditions.map((each) =>
      textAt(each, 'type') === 'Ready' ? { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' } : each,
    );
    const silentFrom = fast.hands.now().getTime();
    await fast.hands.merge(node, { status: { conditions: unknown } }, 'status');

    const pods = () =>
      fast.hands.list(
        { apiVersion: 'v1', kind: 'Pod' },
        { namespace: 'harvester-system', labels: { 'app.kubernetes.io/name': 'harvester' } },
      );
    await until(
      'its pods are evicted',
      async () => (await pods()).some((pod) => textAt(pod, 'metadata', 'deletionTimestamp')) || undefined,
    );
    const stranded = await until('a replacement finds no node', async () =>
      (await pods())
        .map((pod) => textAt(condition(pod, 'PodScheduled'), 'message'))
        .find((message) => message?.startsWith('0/3')),
    );
    const waited = fast.hands.now().getTime() - silentFrom;
    const taints = listAt(await fast.hands.get(node), 'spec', 'taints').map(
      (each) => `${textAt(each, 'key')}:${textAt(each, 'effect')}`,
    );
    await fast.reset();

    expect(taints).toEqual(['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute']);
    expect(waited).toBeGreaterThanOrEqual(300_000);
    expect(stranded).toContain('1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }');
    expect((await pods()).every(isReady)).toBe(true);
    expect(
      numberAt(
        await fast.hands.get({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'harvester-system',
          name: 'harvester',
        }),
        'status',
        'readyReplicas',
      ),
    ).toBe(3);
    expect(listAt(await fast.hands.get(node), 'spec', 'taints')).toEqual([]);
    await fast.stop();
  });
});
