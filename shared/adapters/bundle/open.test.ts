import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { kind, type Rights } from '../../handler.ts';
import { ConfigMap, Deployment, Node, Pod, Setting } from '../../kinds.ts';
import { openFiles } from './open.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-open-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | object>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const VirtualMachine = kind(
  { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', plural: 'virtualmachines', namespaced: true },
  { spec: z.object({ running: z.boolean() }) },
);
const SYSTEM = 'harvester-system';
const RIGHTS: Rights = {
  read: [
    { kind: Node },
    { kind: Pod },
    { kind: VirtualMachine },
    { kind: Setting },
    { kind: Deployment, namespace: SYSTEM, names: ['harvester'] },
    { kind: ConfigMap, namespace: SYSTEM },
  ],
  logs: [SYSTEM],
};

async function opened(path: string, at?: string) {
  const said = await openFiles(path, { reads: RIGHTS.read, ...(at !== undefined && { at: new Date(at) }) });
  if (!said.ok) throw new Error(said.because);
  const { source } = said;
  return { source, look: await source.look(RIGHTS) };
}
const refusal = async (path: string) => {
  const said = await openFiles(path, { reads: RIGHTS.read });
  return said.ok ? 'it was opened' : said.because;
};

const pod = (name: string, namespace = SYSTEM, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  ...more,
});
const node = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, ...more });
const list = (...items: readonly unknown[]) => ({ apiVersion: 'v1', kind: 'List', items });

describe('Files of kubectl output', () => {
  it('are read whatever they are called: objects, Lists, typed lists, bare arrays', async () => {
    const raw = { apiVersion: 'v1', kind: 'PodList', items: [{ metadata: { name: 'bare', namespace: SYSTEM } }] };
    write({ 'one.json': pod('one'), 'list.yml': JSON.stringify(list(pod('two'))), raw: raw, 'jq.json': [pod('four')] });

    const { look } = await opened(folder);

    const names = (await look.list(Pod)).map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(['bare', 'four', 'one', 'two']);
    expect(await look.get(Pod, { namespace: SYSTEM, name: 'bare' })).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  });

  it('tell "none" from "not captured" by an object or a typed empty list', async () => {
    write({
      'a.json': list(node('n1')),
      'b.json': { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineList', items: [] },
      'c.json': { apiVersion: 'v1', kind: 'PodList', metadata: { continue: 'token' }, items: [pod('p')] },
    });

    const { look, source } = await opened(folder);

    expect(await look.captured(Node)).toBe(true);
    expect(await look.captured(VirtualMachine)).toBe(true);
    expect(await look.captured(Pod)).toBe(false);
    expect(await look.captured(Setting)).toBe(false);
    expect((await source.notCaptured()).map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Deployment', 'Setting']);
  });

  it('are looked at only as far as the rights reach', async () => {
    const deployment = (name: string, namespace = SYSTEM) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
    });
    write({ 'a.json': list(deployment('harvester'), deployment('other'), deployment('harvester', 'default')) });

    const { look, source } = await opened(folder);

    expect((await look.list(Deployment)).map(({ metadata }) => metadata)).toMatchObject([
      { name: 'harvester', namespace: SYSTEM },
    ]);
    expect(await look.get(Deployment, { namespace: SYSTEM, name: 'other' })).toBeUndefined();
    const blind = await source.look({ read: [] });
    await expect(blind.list(Node)).rejects.toThrow(/^Node\..*without being declared/);
    await expect(blind.log({ namespace: SYSTEM, name: 'p' }, { container: 'c', tail: 1 })).rejects.toThrow(/logs/);
  });

  it('select by namespace, labels and fields', async () => {
    const labelled = { metadata: { name: 'c', namespace: SYSTEM, labels: { app: 'x' } }, spec: { nodeName: 'n1' } };
    write({ 'a.json': list(pod('a', 'default'), pod('b'), { ...pod('c'), ...labelled }) });

    const { look } = await opened(folder);

    const names = async (where: object) => (await look.list(Pod, where)).map(({ metadata }) => metadata.name);
    expect(await names({ namespace: SYSTEM })).toEqual(['b', 'c']);
    expect(await names({ labels: { app: 'x' } })).toEqual(['c']);
    expect(await names({ fields: { 'spec.nodeName': 'n1' } })).toEqual(['c']);
  });

  it('warn of what is odd in them, and read the rest', async () => {
    write({
      'a.json': list({ kind: 'Pod' }, 7, null, 'x', node('n1', { status: 'not an object' }), node('n2'), {
        apiVersion: 'v1',
      }),
      'b.yaml': 'kind: [unclosed\n',
      'c.json': { apiVersion: 'v1', kind: 'Status', code: 403, reason: 'Forbidden', message: 'nodes is forbidden' },
      'd.json': { apiVersion: 'v1', kind: 'NodeList', items: 'none' },
      'e.bin': 'x',
      'empty.yaml': '',
    });

    const { look, source } = await opened(folder);

    expect((await look.list(Node)).map(({ metadata }) => metadata.name)).toEqual(['n2']);
    expect(await look.captured(Node)).toBe(false);
    const lines = source.warnings().map(({ where, because }) => `${where}: ${because}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        'a.json: item 0 is a Pod without an apiVersion',
        'a.json: item 1 is a number where an object belongs',
        'a.json: item 2 is null where an object belongs',
        'a.json: item 3 is a string where an object belongs',
        'a.json: item 4 is a Node whose status is a string',
        'a.json: item 6 has no kind',
        expect.stringMatching(/^b\.yaml: cannot be read as YAML/),
        'c.json: what it holds is an answer of the API server: 403 Forbidden nodes is forbidden',
        'd.json: what it holds is a NodeList whose items are a string',
        'e.bin: was not read: by its name it is neither YAML nor JSON',
        'empty.yaml: is empty',
        expect.stringMatching(/^Node n1: cannot be read: status: /),
      ]),
    );
  });

  it('warn of an object whose shape the rules do not know, once', async () => {
    write({
      'a.json': list({
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name: 'v', namespace: 'd' },
        spec: { running: 'yes' },
      }),
    });

    const { look, source } = await opened(folder);
    await look.list(VirtualMachine);
    await look.get(VirtualMachine, { namespace: 'd', name: 'v' });

    expect(await look.captured(VirtualMachine)).toBe(false);
    const said = source.warnings().filter(({ where }) => where === 'VirtualMachine d/v');
    expect(said.map(({ because }) => because)).toEqual([expect.stringMatching(/spec\.running: .*boolean/)]);
  });

  it('read an object that is in two files from the first', async () => {
    write({ 'a.json': node('n1', { spec: { unschedulable: true } }), 'b.json': node('n1') });

    const { look, source } = await opened(folder);

    expect(await look.list(Node)).toMatchObject([{ spec: { unschedulable: true } }]);
    expect(source.warnings()).toContainEqual({ where: 'b.json', because: 'Node n1 is left out: it is in a.json too' });
  });

  it('are read as PowerShell and Windows write them', async () => {
    write({ 'crlf.yaml': 'apiVersion: v1\r\nkind: Node\r\nmetadata:\r\n  name: n1\r\n' });
    const utf16 = Buffer.from(`\ufeff${JSON.stringify(node('n2'))}`, 'utf16le');
    writeFileSync(join(folder, 'utf16.json'), utf16);
    writeFileSync(join(folder, 'bom.json'), `\ufeff${JSON.stringify(node('n3'))}`);

    const { look } = await opened(folder);

    expect((await look.list(Node)).map(({ metadata }) => metadata.name).sort()).toEqual(['n1', 'n2', 'n3']);
  });

  it('do not lead out of their folder by a link', async () => {
    write({ 'a.json': node('n1') });
    symlinkSync('/etc/hostname', join(folder, 'link.yaml'));

    const { source } = await opened(folder);

    expect(source.warnings()).toContainEqual({ where: 'link.yaml', because: expect.stringMatching(/is a link/) });
  });

  it('bring logs along: the end of each, and of the run before', async () => {
    const logs = `logs/${SYSTEM}/p/c.log`;
    write({ 'a.json': pod('p'), [logs]: 'one\ntwo\r\nthree\n', [`${logs}.1`]: 'before\n' });

    const { look } = await opened(join(folder, 'a.json'));

    const ref = { namespace: SYSTEM, name: 'p' };
    expect(await look.log(ref, { container: 'c', tail: 2 })).toEqual(['two', 'three']);
    expect(await look.log(ref, { container: 'c', tail: 9, previous: true })).toEqual(['before']);
    expect(await look.log(ref, { container: 'other', tail: 9 })).toBeUndefined();
  });
});

describe('The moment of the picture', () => {
  const old = node('n1', {
    metadata: {
      name: 'n1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2027-01-01T00:00:00Z',
      annotations: { forged: '{"heartbeatTime":"2030-01-01T00:00:00Z"}', renewTime: '2030-01-01T00:00:00Z' },
      managedFields: [{ time: '2026-01-01T00:00:02Z' }],
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:05.5Z' }],
      notAfterTime: '2031-01-01T00:00:00Z',
    },
  });

  it('is what a List says, whatever else is known', async () => {
    write({ 'a.json': { ...list(old), metadata: { at: '2026-01-02T00:00:00Z' } } });

    expect((await opened(folder, '2026-01-03T00:00:00Z')).source.at).toEqual(new Date('2026-01-02T00:00:00Z'));
  });

  it('is else what the person says', async () => {
    write({ 'a.json': list(old) });

    expect((await opened(folder, '2026-01-03T00:00:00Z')).look.at).toEqual(new Date('2026-01-03T00:00:00Z'));
  });

  it('is else the newest time in the objects: no time that lies ahead, and none that somebody wrote into a text', async () => {
    write({ 'a.json': list(old) });

    expect((await opened(folder)).source.at).toEqual(new Date('2026-01-01T00:00:05.500Z'));
  });

  it('is else when the file was written, with a warning', async () => {
    write({ 'a.json': node('n1') });
    utimesSync(join(folder, 'a.json'), 1_700_000_000, 1_700_000_000);

    const { source } = await opened(join(folder, 'a.json'));

    expect(source.at).toEqual(new Date(1_700_000_000_000));
    expect(source.warnings().map(({ because }) => because)).toEqual([expect.stringMatching(/--at TIME/)]);
  });
});

describe('A support bundle', () => {
  const root = 'supportbundle_x/';
  const yamls = (path: string, ...items: readonly object[]) => ({
    [`${root}yamls/${path}.yaml`]: JSON.stringify(list(...items)),
  });
  const bundle = () => ({
    [`${root}metadata.yaml`]:
      'bundlename: ""\nkubernetesversion: v1.29.9+rke2r1\nbundlecreatedat: "2026-01-15T12:00:00Z"\n',
    ...yamls(
      'cluster/v1/namespaces',
      ...[SYSTEM, 'default', 'tenant'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ),
    ...yamls('cluster/v1/nodes', node('n1')),
    ...yamls(`namespaced/${SYSTEM}/v1/pods`, pod('p')),
    ...yamls('namespaced/default/v1/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
    }),
    [`${root}logs/${SYSTEM}/p/c.log`]: '2026-01-15T11:59:00.123456789Z level=error msg="x"\n',
  });

  it('tells its moment, the version and logs without the timestamps that its collector asks for', async () => {
    const { look, source } = await opened(write(bundle()));

    expect(source.at).toEqual(new Date('2026-01-15T12:00:00Z'));
    expect(await look.version()).toMatchObject({ kubernetes: 'v1.29.9+rke2r1' });
    expect(await look.log({ namespace: SYSTEM, name: 'p' }, { container: 'c', tail: 5 })).toEqual([
      'level=error msg="x"',
    ]);
  });

  it('makes a missing file mean "none" where the namespace was captured, and "unknown" elsewhere', async () => {
    const { look, source } = await opened(write(bundle()));

    expect(await look.captured(Pod, 'default')).toBe(true);
    expect(await look.captured(Setting)).toBe(true);
    expect(await look.captured(VirtualMachine, 'default')).toBe(true);
    expect(await look.captured(VirtualMachine, 'tenant')).toBe(false);
    expect(await look.captured(VirtualMachine)).toBe(false);
    expect((await source.notCaptured()).map(({ kind }) => kind)).toEqual(['VirtualMachine']);
    expect(source.warnings()).toContainEqual({
      where: 'the bundle',
      because: expect.stringMatching(/namespaces tenant:/),
    });
  });

  it('does not count as captured what its error log names', async () => {
    const log = [
      'Failed to get /apis/kubevirt.io/v1/namespaces/default/virtualmachines: the server could not find the resource',
      'Failed to get /apis/harvesterhci.io/v1beta1/settings: etcdserver: request timed out',
    ].join('\n');
    const { look, source } = await opened(write({ ...bundle(), [`${root}bundleGenerationError.log`]: log }));

    expect(await look.captured(VirtualMachine, 'default')).toBe(false);
    expect(await look.captured(VirtualMachine, SYSTEM)).toBe(true);
    expect(await look.captured(Setting)).toBe(false);
    expect(source.warnings()).toContainEqual({
      where: '/apis/harvesterhci.io/v1beta1/settings',
      because: 'is not in the bundle: etcdserver: request timed out',
    });
  });

  it('is read as it was before its collector wrote "null" for every empty string and null', async () => {
    const setting = {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 's', labels: 'null', annotations: { a: 'said "x"null' } },
      value: 'null',
    };
    const { look, source } = await opened(
      write({ ...bundle(), ...yamls('cluster/harvesterhci.io/v1beta1/settings', setting) }),
    );

    expect(await look.get(Setting, { name: 's' })).toMatchObject({
      value: '',
      metadata: { labels: {}, annotations: { a: 'said "x"' } },
    });
    expect(source.warnings().map(({ where }) => where)).toEqual(['the bundle']);
  });

  it('is read although one of its objects is nested deeper than the stack', async () => {
    const deep = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"},"spec":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    write({ ...bundle(), [`${root}yamls/cluster/v1/nodes.yaml`]: `[${JSON.stringify(node('n1'))},${deep}]` });

    const { look } = await opened(folder);

    expect((await look.list(Node)).map(({ metadata }) => metadata.name)).toEqual(['n1', 'n2']);
  });

  it('of the old layout is read by content, and its absences mean nothing', async () => {
    write({
      ...yamls('cluster/harvester/nodes', node('n1')),
      ...yamls(`namespaced/${SYSTEM}/kubernetes/pods`, pod('p')),
    });

    const { look } = await opened(folder);

    expect(await look.list(Pod)).toHaveLength(1);
    expect(await look.captured(VirtualMachine, SYSTEM)).toBe(false);
  });
});

describe('What cannot be used', () => {
  it.each([
    ['nothing at all', {}, /is an empty folder$/],
    [
      'a broken file',
      { 'a.yaml': 'kind: [unclosed\n' },
      /holds no Kubernetes objects that can be read: a\.yaml cannot/,
    ],
    ['text', { 'a.txt': 'hello world' }, /a\.txt what it holds is a string where an object belongs$/],
    [
      'two bundles',
      { 'x/yamls/cluster/v1/nodes.yaml': '', 'y/yamls/cluster/v1/nodes.yaml': '' },
      /holds 2 support bundles/,
    ],
  ])('is refused in one line that names it: a folder with %s', async (_what, files, because) => {
    const said = await refusal(write(files));

    expect(said.startsWith(folder)).toBe(true);
    expect(said).toMatch(because);
    expect(said).not.toContain('\n');
  });

  it('is refused before it is read: a file larger than a text can be', async () => {
    const path = join(folder, 'large.json');
    writeFileSync(path, '{}');
    const { truncateSync } = await import('node:fs');
    truncateSync(path, 1024 * 1024 * 1024);

    expect(await refusal(path)).toBe(
      `${path} is 1024 MB: files up to 256 MB are read; write one file per kind instead`,
    );
  });

  it('is refused as noise: bytes that are no text', async () => {
    const path = join(folder, 'noise.yaml');
    writeFileSync(path, Buffer.from([0, 200, 3, 255, 1]));

    expect(await refusal(path)).toMatch(/noise\.yaml is not text/);
  });
});
