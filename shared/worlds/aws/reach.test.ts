import { existsSync, globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type Loopback, startLoopback } from '../../../test/kubernetes/loopback.ts';
import { manualClock } from '../../adapters/clock/manual.ts';
import { systemClock } from '../../adapters/clock/system.ts';
import type { Parameter } from '../../adapters/ssm/parameters.ts';
import type { Event, Registered } from '../../model.ts';
import { reaching } from './reach.ts';

const START = '2026-01-15T12:00:00.000Z';
const OBSERVED: Event = {
  ...{ event: 'observed', cluster: 'cluster-uid', mode: 'some-mode', because: 'it changed', objects: [] },
  ...{ id: 'e1', at: START },
};
const ROW: Registered = {
  ...{ schema: 1, id: 'cluster-uid', name: 'barn', flavour: 'harvester', does: 'apply' },
  ...{ kubeconfig: '/gleaner/test/clusters/barn', registeredAt: START },
};

const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function server(uid = 'cluster-uid'): Promise<Loopback> {
  const started = await startLoopback({ uid });
  started.handle = ({ path }, response) => {
    if (path !== '/apis') return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"groups":[]}');
    return true;
  };
  servers.push(started);
  return started;
}

const textOf = ({ kubeconfig }: Loopback) => readFileSync(kubeconfig, 'utf8');

function begin(first: Parameter) {
  const state = { parameter: first, now: manualClock(START) };
  const reach = reaching({
    log: { info() {}, warn() {}, error() {} },
    machine: { now: state.now.now, after: systemClock.after },
    parameters: { newest: async () => state.parameter, version: async () => state.parameter },
    store: {
      get: async () => undefined,
      put: async () => ({ ok: false, winner: undefined }),
      list: async () => [],
      current: async () => [],
      prune: async () => undefined,
      append: async () => undefined,
      audit: async () => [],
      ready: async () => undefined,
    },
  });
  const clusters = async (row = ROW) =>
    (await reach({ event: OBSERVED, registered: new Map([[row.id, row]]) })).clusters;
  return { state, clusters };
}

const there = (value: string, version = 1): Parameter => ({ is: 'there', value, version });

describe('The cluster of a delivery', () => {
  it('is reached with the kubeconfig of its row, and is the only one', async () => {
    const { clusters } = begin(there(textOf(await server())));

    expect([...(await clusters()).keys()]).toEqual(['cluster-uid']);
  });

  it('is reached over the same connection again', async () => {
    const loopback = await server();
    const { clusters } = begin(there(textOf(loopback)));

    await clusters();
    const before = loopback.requests.length;
    await clusters();

    expect(loopback.requests).toHaveLength(before);
  });

  it('is as its row says now: renamed, or told to observe', async () => {
    const { clusters } = begin(there(textOf(await server())));
    await clusters();

    const [cluster] = (await clusters({ ...ROW, name: 'stable', does: 'observe' })).values();

    expect(cluster).toMatchObject({ name: 'stable', does: 'observe' });
  });

  it('is not another cluster that the kubeconfig leads to', async () => {
    const { clusters } = begin(there(textOf(await server('another-uid'))));

    await expect(clusters()).rejects.toThrow(/leads to cluster another-uid, and barn is cluster-uid/);
  });

  it('is reached anew when its kubeconfig was exchanged', async () => {
    const [old, young] = [await server(), await server()];
    const { state, clusters } = begin(there(textOf(old)));
    await clusters();

    state.parameter = there(textOf(young), 2);
    await clusters();

    expect(young.requests.length).toBeGreaterThan(0);
  });

  it('that does not answer is left alone for a while, and asked again after it', async () => {
    const loopback = await server('another-uid');
    const { state, clusters } = begin(there(textOf(loopback)));
    await expect(clusters()).rejects.toThrow();
    const before = loopback.requests.length;

    await expect(clusters()).rejects.toThrow();
    expect(loopback.requests).toHaveLength(before);
    state.now.advance(15_000);
    await expect(clusters()).rejects.toThrow();
    expect(loopback.requests.length).toBeGreaterThan(before);
  });

  it('is reached as before while SSM is away', async () => {
    const { state, clusters } = begin(there(textOf(await server())));
    await clusters();

    state.parameter = { is: 'unreadable', because: 'SSM is away' };

    expect((await clusters()).size).toBe(1);
  });

  it('is not reached any more when its kubeconfig was taken away', async () => {
    const { state, clusters } = begin(there(textOf(await server())));
    await clusters();

    state.parameter = { is: 'absent', because: 'there is no parameter' };

    await expect(clusters()).rejects.toThrow(/Cluster barn cannot be reached: there is no parameter/);
  });

  it('is not reached from here where its row names no kubeconfig', async () => {
    const { clusters } = begin(there('unused'));
    const { kubeconfig, ...row } = ROW;

    expect(kubeconfig).toBeDefined();
    expect((await clusters(row)).size).toBe(0);
  });

  it('leaves no kubeconfig on the disk', async () => {
    const { clusters } = begin(there(textOf(await server())));

    await clusters();

    const left = globSync('gleaner-*/kubeconfig', { cwd: tmpdir() });
    expect(left.filter((file) => existsSync(file) && readFileSync(file, 'utf8').includes('secret-canary'))).toEqual([]);
  });
});
