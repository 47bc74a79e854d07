import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { connecting } from '../../shared/cli/connect.ts';
import { run } from '../../shared/cli/main.ts';
import { connectingOn } from '../../shared/worlds/connect-commands.ts';
import { startComponent } from './bed/component.ts';
import { writeKubeconfig } from './bed/kubeconfig.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { until } from './bed/until.ts';
import { binaryPaths } from './control-plane/binaries.ts';

const NAMESPACES = ['harvester-system', 'longhorn-system', 'cattle-system', 'fleet-local', 'cattle-ui-plugin-system'];

let bed: Bed;
let folder: string;

beforeAll(async () => {
  bed = await startBed({ controllers: [], scheduler: false });
  folder = mkdtempSync(join(tmpdir(), 'gleaner-connect-'));
  for (const name of NAMESPACES) await bed.request('POST', '/api/v1/namespaces', { metadata: { name } });
  await fillTokens();
});

afterAll(async () => {
  await bed?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Kubernetes' own controller that writes tokens into Secrets. */
async function fillTokens(): Promise<void> {
  const { ca, controllers, serviceAccounts } = bed.pki;
  const path = join(folder, 'controllers.kubeconfig');
  const user = 'system:kube-controller-manager';
  const kubeconfig = writeKubeconfig(path, { server: bed.url, ca: ca.cert, user, keys: controllers });
  const component = await startComponent({
    program: binaryPaths()['kube-controller-manager'],
    logFile: join(folder, 'controllers.log'),
    args: [
      ...[`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'],
      ...['--controllers=serviceaccount-token-controller', `--root-ca-file=${ca.cert}`],
      `--service-account-private-key-file=${serviceAccounts.key}`,
    ],
    ready: () => Promise.resolve(),
  });
  bed.onStop(() => component.kill());
}

/** `gleaner connect lab --print …`: the kubeconfig that it prints, and what it told. */
async function connect(kubeconfig: string, ...more: string[]) {
  const said = { out: '', err: '' };
  const tell = (where: keyof typeof said) => (text: string) => {
    said[where] += text;
  };
  const around = { version: '1', terminal: { width: 200, colours: false }, out: tell('out'), err: tell('err') };
  const none = () => Promise.reject(new Error('nothing is diagnosed here'));
  const doing = connectingOn({}, { clock: systemClock });
  const argv = ['connect', 'lab', '--kubeconfig', kubeconfig, '--print', ...more];
  return { code: await run(argv, around, none, connecting(around, doing)), ...said };
}

/** What the account of a printed kubeconfig may do, asked of the API server by that account. */
async function mayIt(printed: string, verb: string, group: string, resource: string, namespace?: string) {
  const { token } = parse(printed).users[0].user;
  const answer = await bed.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
  });
  const { user, authenticated } = Object(answer.body).status;
  if (!authenticated) return 'nobody';
  const review = await bed.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
    spec: { user: user.username, groups: user.groups, resourceAttributes: { verb, group, resource, namespace } },
  });
  return Object(review.body).status.allowed;
}

describe('gleaner connect on a real API server', () => {
  it('makes an account that reads what the failure modes read, and nothing else', async () => {
    const { code, out, err } = await connect(bed.kubeconfig('admin'));

    expect(err).toMatch(/^made +ServiceAccount gleaner\/gleaner-watcher$/m);
    expect(err).toMatch(/^left out +the rights in namespace cattle-capi-system/m);
    expect(code).toBe(0);
    expect(parse(out).users[0].name).toBe('gleaner-watcher');
    expect(await mayIt(out, 'list', '', 'nodes')).toBe(true);
    expect(await mayIt(out, 'patch', 'kubevirt.io', 'virtualmachines', 'default')).toBe(false);
    expect(await mayIt(out, 'get', '', 'secrets', 'gleaner')).toBe(false);
  });

  it('gives the rights to touch by --apply, takes them away by --observe, and ends the token with them', async () => {
    const applied = await connect(bed.kubeconfig('admin'), '--apply');
    const could = await mayIt(applied.out, 'patch', 'kubevirt.io', 'virtualmachines', 'default');

    const observed = await connect(bed.kubeconfig('admin'), '--observe');

    expect([applied.code, could, observed.code]).toEqual([0, true, 0]);
    await until('the token ended', async () =>
      (await mayIt(applied.out, 'list', '', 'nodes')) === 'nobody' ? true : undefined,
    );
    expect(await mayIt(observed.out, 'list', '', 'nodes')).toBe(true);
  });

  it('finds all as it was when it is run again', async () => {
    await connect(bed.kubeconfig('admin'));

    const again = await connect(bed.kubeconfig('admin'));

    expect(again.code).toBe(0);
    expect(again.err).not.toMatch(/^(made|changed|ended)/m);
  });

  it('puts back a right that somebody took away or added', async () => {
    await connect(bed.kubeconfig('admin'));
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/gleaner-watcher';
    await bed.request('PATCH', path, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });

    const { err, out } = await connect(bed.kubeconfig('admin'));

    expect(err).toMatch(/^changed +ClusterRole gleaner-watcher$/m);
    expect(await mayIt(out, 'get', '', 'secrets', 'kube-system')).toBe(false);
  });

  it('ends the former token at once where it is revoked', async () => {
    const before = await connect(bed.kubeconfig('admin'));

    const after = await connect(bed.kubeconfig('admin'), '--revoke');

    await until('the token ended', async () =>
      (await mayIt(before.out, 'list', '', 'nodes')) === 'nobody' ? true : undefined,
    );
    expect(await mayIt(after.out, 'list', '', 'nodes')).toBe(true);
  });

  it('asks the API server for everything in a dry run, and changes nothing', async () => {
    await connect(bed.kubeconfig('admin'));
    const before = await bed.request('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles');

    const { code, err } = await connect(bed.kubeconfig('admin'), '--apply', '--dry-run');

    expect(code).toBe(0);
    expect(err).toMatch(/^would make +ClusterRole gleaner-applier$/m);
    expect((await bed.request('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles')).body).toHaveProperty(
      'items.length',
      Object(before.body).items.length,
    );
  });

  it('says in one line what somebody lacks who is no administrator', async () => {
    const { code, err } = await connect(bed.kubeconfig('somebody'));

    expect(code).toBe(2);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toContain('cannot get resource "namespaces"');
  });

  it('says that a caution is due where the functions may not reach it', async () => {
    const { err } = await connect(bed.kubeconfig('admin'));

    expect(err).toMatch(/^CAUTION +https:\/\/127\.0\.0\.1:\d+ is an address of a private network/m);
  });

  it('leaves alone what Helm keeps', async () => {
    const path = '/api/v1/namespaces/gleaner/serviceaccounts/gleaner-watcher';
    await bed.request('PATCH', path, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } });

    const { code } = await connect(bed.kubeconfig('admin'));

    const found = await bed.request('GET', path);
    expect(code).toBe(0);
    expect(found.body).toHaveProperty(['metadata', 'labels', 'app.kubernetes.io/managed-by'], 'Helm');
  });
});
