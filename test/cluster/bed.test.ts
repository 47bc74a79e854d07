import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy } from './bed/proxy.ts';
import { createRequester } from './bed/requester.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { binaryPaths } from './control-plane/binaries.ts';

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

let bed: Bed;

beforeAll(async () => {
  bed = await startBed({ controllers: [], scheduler: false });
});

afterAll(() => bed?.stop());

describe('the control plane', () => {
  it('is a Kubernetes of the pinned minor version', async () => {
    const { code, body } = await bed.request('GET', '/version');

    expect(code).toBe(200);
    expect(body).toHaveProperty('gitVersion', expect.stringMatching(/^v1\.35\./));
  });

  it('serves every kind that the failure modes read', async () => {
    const names = await bed.installCrds();

    const { body } = await bed.request('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');

    expect(names.length).toBeGreaterThan(35);
    expect(body).toHaveProperty('items.length', names.length);
  });

  it('knows who asks by the client certificate, and gives nobody rights by itself', async () => {
    const asWatcher = bed.as('gleaner-watcher', ['bots']);

    const who = await asWatcher('POST', reviews, review);
    const secrets = await asWatcher('GET', '/api/v1/secrets');

    expect(who.body).toHaveProperty('status.userInfo.username', 'gleaner-watcher');
    expect(who.body).toHaveProperty('status.userInfo.groups', expect.arrayContaining(['bots']));
    expect(secrets.code).toBe(403);
  });

  it('is open to kubectl with a kubeconfig, also by way of a proxy', async () => {
    const proxy = await startProxy(bed.port);
    const kubeconfig = bed.kubeconfig('gleaner-applier', { groups: ['bots'], server: proxy.url });

    const said = await promisify(execFile)(binaryPaths().kubectl, ['--kubeconfig', kubeconfig, 'auth', 'whoami']);
    await proxy.stop();

    expect(said.stdout).toContain('gleaner-applier');
  });

  it('answers late, not never, when the API server was frozen', async () => {
    bed.apiserver.freeze();
    let answered = false;

    const asked = bed.request('GET', '/api/v1/namespaces').finally(() => {
      answered = true;
    });
    const meanwhile = await fetch(`${bed.etcd.url}/health`).then(() => answered);
    bed.apiserver.thaw();

    expect(meanwhile).toBe(false);
    expect(await asked).toHaveProperty('code', 200);
  });

  it('keeps its objects when the API server is killed and started again', async () => {
    await bed.request('POST', '/api/v1/namespaces', { metadata: { name: 'kept' } });

    await bed.apiserver.kill();
    const whileDead = bed.request('GET', '/api/v1/namespaces/kept');
    await expect(whileDead).rejects.toThrow();
    await bed.apiserver.restart();

    expect(await bed.request('GET', '/api/v1/namespaces/kept')).toHaveProperty('code', 200);
  });

  it('forgets history when etcd is compacted', async () => {
    const { body } = await bed.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'old' } });
    await bed.request('PATCH', '/api/v1/namespaces/default/configmaps/old', { data: { changed: 'yes' } });
    await bed.etcd.compact();
    await bed.apiserver.restart();

    const from = `resourceVersion=1&timeoutSeconds=1`;
    const watch = await bed.request('GET', `/api/v1/namespaces/default/configmaps?watch=1&${from}`);

    expect(body).toHaveProperty('metadata.name', 'old');
    expect(JSON.stringify(watch.body)).toContain('Expired');
  });
});

describe('the proxy', () => {
  it('passes, holds back and cuts connections', async () => {
    const proxy = await startProxy(bed.port);
    const through = createRequester(proxy.url, bed.pki.ca.cert, bed.pki.admin);
    const ask = () => through.request('GET', '/readyz');

    const passed = await ask();
    proxy.blackHole();
    const held = ask();
    const first = await Promise.race([held.then(() => 'through'), bed.request('GET', '/readyz').then(() => 'direct')]);
    proxy.pass();
    const late = await held;
    proxy.blackHole();
    const lost = ask();
    proxy.cut();

    expect(passed.code).toBe(200);
    expect(first).toBe('direct');
    expect(late.code).toBe(200);
    await expect(lost).rejects.toThrow();
    through.close();
    await proxy.stop();
  });
});
