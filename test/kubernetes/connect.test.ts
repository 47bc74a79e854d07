import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { type Connected, type ConnectOptions, connect } from '../../shared/adapters/kubernetes/connect.ts';
import { Node } from '../../shared/kinds.ts';
import { json, type Loopback, startLoopback, status, writeKubeconfig } from './loopback.ts';

let server: Loopback;
let folder: string;
const open: Connected[] = [];

async function connected(options: Partial<ConnectOptions> = {}): Promise<Connected> {
  const cluster = await connect({ kubeconfig: server.kubeconfig, clock: systemClock, ...options });
  open.push(cluster);
  return cluster;
}

beforeEach(async () => {
  server = await startLoopback();
  folder = mkdtempSync(join(tmpdir(), 'gleaner-connect-'));
});

afterEach(async () => {
  for (const cluster of open.splice(0)) cluster.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const serve = (groupVersion: string, kind: string, name: string) => (got: { path: string }) =>
  got.path === `/apis/${groupVersion}`
    ? { kind: 'APIResourceList', resources: [{ name, kind, namespaced: false }] }
    : undefined;

describe('Connecting', () => {
  it('names a cluster by the uid of kube-system and calls it by its context', async () => {
    const cluster = await connected();

    expect(cluster).toMatchObject({ id: 'cluster-uid', name: 'loop', does: 'observe' });
  });

  it.each([
    ['harvester', [serve('harvesterhci.io/v1beta1', 'Setting', 'settings')]],
    ['rancher', [serve('management.cattle.io/v3', 'NodeDriver', 'nodedrivers')]],
    [
      'harvester',
      [
        serve('harvesterhci.io/v1beta1', 'Setting', 'settings'),
        serve('management.cattle.io/v3', 'NodeDriver', 'nodedrivers'),
      ],
    ],
  ])('recognises a %s by the APIs that it serves', async (flavour, apis) => {
    server.handle = (got, response) => {
      const body = apis.map((api) => api(got)).find((answer) => answer !== undefined);
      return body && json(response, 200, body);
    };

    expect(await connected()).toHaveProperty('flavour', flavour);
  });

  it('finds a kind under whatever version its group serves', async () => {
    server.handle = (got, response) => {
      if (got.path === '/apis/management.cattle.io') {
        const versions = [{ groupVersion: 'management.cattle.io/v9' }];
        return json(response, 200, { kind: 'APIGroup', versions, preferredVersion: versions[0] });
      }
      const body = serve('management.cattle.io/v9', 'NodeDriver', 'nodedrivers')(got);
      return body && json(response, 200, body);
    };

    expect(await connected()).toHaveProperty('flavour', 'rancher');
  });

  it.each([
    [401, status(401, 'Unauthorized', 'Unauthorized'), 'Unauthorized'],
    [403, status(403, 'Forbidden', 'namespaces "kube-system" is forbidden'), 'is forbidden'],
  ])('says in one line why a server that answers %i cannot be used', async (code, body, words) => {
    server.handle = (_got, response) => json(response, code, body);

    const failure = await connected().catch(String);

    expect(failure).toContain(words);
    expect(failure).toContain(new URL(server.url).host);
    expect(String(failure).split('\n')).toHaveLength(1);
  });

  it('says that a web page is no API server', async () => {
    server.handle = (_got, response) => {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Bad gateway</html>');
      return true;
    };

    await expect(connected()).rejects.toThrow(/HTTP 502 with a web page/);
  });

  it('refuses to send credentials in clear to another machine', async () => {
    const kubeconfig = writeKubeconfig(folder, { server: 'http://192.0.2.1:6443' });

    await expect(connected({ kubeconfig })).rejects.toThrow(/plain HTTP/);
  });

  it('names the contexts that there are when the one asked for is not', async () => {
    await expect(connected({ context: 'prod' })).rejects.toThrow('no context "prod": choose one of loop');
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['noise', '{]'],
  ])('names a kubeconfig that is %s', async (name, content) => {
    const kubeconfig = join(folder, name);
    if (content !== undefined) writeFileSync(kubeconfig, content);

    const failure = await connected({ kubeconfig }).catch(String);

    expect(failure).toMatch(/kubeconfig/);
    expect(String(failure).split('\n')).toHaveLength(1);
  });

  it('never takes an ambient kubeconfig by itself', async () => {
    await expect(connect({ clock: systemClock })).rejects.toThrow(/No kubeconfig was named/);
  });

  it('reads several kubeconfigs as kubectl does: who names something first wins', async () => {
    const second = writeKubeconfig(folder, { server: 'http://127.0.0.1:9', name: 'loop' });

    const cluster = await connected({ kubeconfig: `${server.kubeconfig}:${second}` });

    expect(cluster.id).toBe('cluster-uid');
  });

  it('reads the token file again after a 401, without its line break', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'old\n');
    const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
    const kubeconfig = writeKubeconfig(folder, { server: server.url, user });
    const cluster = await connected({ kubeconfig });
    server.handle = ({ authorization }, response) =>
      authorization === 'Bearer new' ? false : json(response, 401, status(401, 'Unauthorized', 'Unauthorized'));

    writeFileSync(tokenFile, 'new\n');
    const read = await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'absent' });

    expect(read).toEqual({ is: 'absent' });
  });
});

describe('Several addresses', () => {
  it('are tried in turn when one cannot be reached', async () => {
    const cluster = await connected({ servers: ['http://127.0.0.1:9'] });

    expect(cluster.id).toBe('cluster-uid');
    expect((await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'x' })).is).toBe('absent');
  });

  it('are not used where they lead to another cluster', async () => {
    const other = await startLoopback({ uid: 'another-cluster' });
    const cluster = await connected({ servers: [server.url, other.url] });
    await server.stop();

    const read = await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'x' });

    expect(read).toMatchObject({ is: 'unreadable', because: expect.stringContaining('the same cluster') });
    expect(other.requests.map(({ path }) => path)).not.toContain('/api/v1/namespaces/x');
    await other.stop();
    server = await startLoopback();
  });
});

describe('A look', () => {
  it('throws where no server answers, for to see nothing is not to see that nothing is there', async () => {
    const cluster = await connected();
    await server.stop();

    await expect(cluster.look({ read: [{ kind: Node }] })).rejects.toThrow(/does not answer/);
    server = await startLoopback();
  });

  it("takes its moment from the server's clock", async () => {
    const cluster = await connected();
    server.handle = ({ path }, response) =>
      path === '/version' && json(response, 200, {}, { Date: 'Mon, 02 Nov 2026 10:00:00 GMT' });

    const { at } = await cluster.look({ read: [] });

    expect(at).toEqual(new Date('2026-11-02T10:00:00Z'));
  });
});
