import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Access, Credentials } from '../../shared/adapters/kubernetes/access.ts';
import { type Listed, shownClusters } from '../../shared/cli/connect.ts';
import { lineTo } from '../../shared/worlds/connect-access.ts';
import { cautionsFor } from '../../shared/worlds/connect-cluster.ts';
import { connectingOn } from '../../shared/worlds/connect-commands.ts';
import { nextKeys } from '../../shared/worlds/connect-keys.ts';
import { rightsOf } from '../../shared/worlds/connect-rights.ts';
import { valuesFor } from '../../shared/worlds/connect-values.ts';
import { type ConnectBed, connectBed } from './bed.ts';

const AT = new Date('2026-01-15T12:00:00.000Z');
const root = join(import.meta.dirname, '..', '..');

describe('Connecting without AWS', () => {
  let bed: ConnectBed;
  beforeEach(async () => {
    bed = await connectBed();
  });
  afterEach(() => bed.stop());

  it('prints a kubeconfig with all that it needs, and asks nothing of AWS', async () => {
    const doing = connectingOn({}, { clock: bed.clock });

    const { code, out, err } = await bed.gleaner(doing, 'connect', 'lab', '--kubeconfig', bed.kubeconfig, '--print');

    expect(code).toBe(0);
    expect(err).toMatch(/^made +Namespace gleaner$/m);
    expect(parse(out)).toMatchObject({
      clusters: [{ name: 'lab', cluster: { server: bed.cluster.url } }],
      users: [{ name: 'gleaner-watcher', user: { token: bed.cluster.token } }],
      'current-context': 'lab',
    });
  });

  it('asks which Gleaner is meant otherwise', async () => {
    const doing = connectingOn({}, { clock: bed.clock });

    const { code, err } = await bed.gleaner(doing, 'connect', 'lab', '--kubeconfig', bed.kubeconfig);

    expect([code, err]).toEqual([2, expect.stringContaining('--stack gleaner-STAGE')]);
  });

  it.each(['Lab', 'a b', '-x', 'x/../y', 'x'.repeat(64)])('takes no name such as %j', async (name) => {
    const doing = connectingOn({}, { clock: bed.clock });

    const { code } = await bed.gleaner(doing, 'connect', '--kubeconfig', bed.kubeconfig, '--print', '--', name);

    expect(code).toBe(2);
    expect(await bed.installed('ServiceAccount')).toEqual([]);
  });
});

describe('The way for the functions', () => {
  const access = (server: string, more: Partial<Credentials> = {}): Access => ({
    ...{ context: 'admin', server },
    renew: async () => ({ headers: {}, tls: { ca: 'PEM' }, agent: undefined, ...more }),
  });
  const kept = (server: string) => `clusters: [{ name: lab, cluster: { server: "${server}" } }]`;

  it("is the administrator's, with the authority that the kubeconfig names", async () => {
    const line = await lineTo(access('https://10.0.0.11:6443'), undefined, undefined);

    expect(line).toEqual({ server: 'https://10.0.0.11:6443', ca: { is: 'told', pem: 'PEM' }, servername: undefined });
  });

  it.each([
    ['https://node1:6443', undefined],
    [undefined, kept('https://node1:6443')],
    ['https://node1:6443', kept('https://node2:6443')],
  ])("is the address that was said, now or before, with the cluster's own authority (%s, %s)", async (said, before) => {
    const line = await lineTo(access('https://rancher/k8s/clusters/c-1'), said, before);

    expect(line).toMatchObject({ server: 'https://node1:6443', ca: { is: 'own' } });
  });

  it.each([
    [{ tls: { rejectUnauthorized: false } }, /does not check the certificate/],
    [{ agent: new Agent() }, /goes through a proxy/],
  ])('is none for anybody else where it is not checked, or goes through a proxy (%#)', async (more, because) => {
    await expect(lineTo(access('https://10.0.0.11:6443', more), undefined, undefined)).rejects.toThrow(because);
  });

  it.each([
    ['https://rancher.example.com/k8s/clusters/c-1', /leads through Rancher/],
    ['https://203.0.113.5:6443', /is the cluster's VIP/],
    ['https://192.168.5.11:6443', /a private network/],
    ['https://[fd00::11]:6443', /a private network/],
    ['https://203.0.113.11:6443', /^$/],
  ])('has its cautions (%s)', async (server, because) => {
    const vip = { metadata: {}, data: { ip: '203.0.113.5' } };
    const read = async () => ({ is: 'there', object: vip, guard: { uid: 'u', resourceVersion: '1' } }) as const;

    expect((await cautionsFor({ read }, server)).join()).toMatch(because);
  });
});

describe('The keys of a watcher', () => {
  const fresh = { keys: [], changedAt: undefined };
  const calm = { rotate: false, revoke: false, now: AT };

  it('are those that the ingest knows, whatever the cluster lost', () => {
    expect(nextKeys({ ...calm, kept: ['a'], at: fresh }).keys).toEqual(['a']);
    expect(nextKeys({ ...calm, kept: [], at: { keys: ['b'], changedAt: AT } }).keys).toEqual(['b']);
    expect(nextKeys({ ...calm, kept: ['a'], at: { keys: ['b'], changedAt: AT } }).keys).toEqual(['a']);
  });

  it('are never more than two', () => {
    expect(nextKeys({ ...calm, rotate: true, kept: ['b', 'a'], at: fresh }).keys).toEqual([expect.any(String), 'b']);
  });

  it.each([
    ['2026-01-15T11:50:01.000Z', 2],
    ['2026-01-15T11:50:00.000Z', 1],
  ])('are two for ten minutes after a change (at %s)', (changed, count) => {
    const at = { keys: ['b', 'a'], changedAt: new Date(changed) };

    expect(nextKeys({ ...calm, kept: ['b', 'a'], at }).keys).toHaveLength(count);
  });
});

describe('What is printed for the chart', () => {
  const chart: unknown = parse(readFileSync(join(root, 'infra/watcher/values.yaml'), 'utf8'));

  /** Paths of all values, as `send.ingest.url`. */
  const paths = (value: unknown, at: readonly string[] = []): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => paths(inner, [...at, key]))
      : [at.join('.')];

  it.each([
    { via: 'ingest', url: 'https://x.example/v1/observations' },
    { via: 'eventbridge', bus: 'arn:aws:events:eu-central-1:1:event-bus/b', region: 'eu-central-1' },
  ] as const)('names values that the chart has ($via)', (send) => {
    const { out } = valuesFor({ name: 'lab', flavour: 'harvester' }, send, '--stack gleaner-prod');

    expect(paths(chart)).toEqual(expect.arrayContaining(paths(parse(out))));
  });

  it('goes with Secrets that the chart mounts by the same entry', () => {
    const template = readFileSync(join(root, 'infra/watcher/templates/deployment.yaml'), 'utf8');

    expect(template).toContain('/etc/gleaner/keys');
  });
});

describe('The rights', () => {
  it.each(['harvester', 'rancher'] as const)(
    'of a %s that only observes bind no account that could touch',
    (flavour) => {
      const text = JSON.stringify(rightsOf({ flavour, does: 'observe' }));

      expect(text).toContain('gleaner-watcher');
      expect(text).not.toContain('gleaner-applier');
      expect(text).not.toMatch(/"(patch|delete|update|create|\*)"/);
    },
  );
});

describe('The list of clusters', () => {
  const cluster = (more: Partial<Listed>): Listed => ({
    ...{ id: 'c1', name: 'lab', flavour: 'harvester', does: 'apply', registeredAt: AT.toISOString() },
    ...{ waiting: 0, running: 0, ...more },
  });

  it('says what was heard of each, and what is open there', () => {
    const all = [
      cluster({ beatAt: '2026-01-15T11:58:00.000Z', watcher: '0.1.0' }),
      cluster({ name: 'a-longer-name', does: 'observe', waiting: 2, running: 1 }),
      cluster({ name: 'gone', beatAt: '2026-01-15T10:00:00.000Z', missedSince: '2026-01-15T10:00:00.000Z' }),
    ];

    expect(shownClusters(all, AT)).toBe(
      [
        'NAME           FLAVOUR    DOES     HEARD             WATCHER  OPEN',
        'lab            harvester  apply    2 min ago         0.1.0    nothing',
        'a-longer-name  harvester  observe  never             -        2 waiting, 1 under way',
        'gone           harvester  apply    2 h ago (MISSED)  -        nothing',
        '',
      ].join('\n'),
    );
  });
});
