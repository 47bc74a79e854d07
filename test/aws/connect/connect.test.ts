import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { textAt } from '../../../shared/playground/json.ts';
import { connectingOn } from '../../../shared/worlds/connect-commands.ts';
import { type ConnectBed, connectBed, SECRETS } from '../../connect/bed.ts';
import { type SsmDouble, startSsm } from '../../doubles/ssm/ssm.ts';
import { dynamodbBed, freshTable, LOCAL, storeAt } from '../bed/dynamodb.ts';
import { type FaultProxy, faultProxy } from '../bed/fault-proxy.ts';
import { openProposal } from '../dynamodb/samples.ts';

const INGEST = 'https://abc.execute-api.eu-central-1.amazonaws.com/v1/observations';
const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/gleaner-prod';
const MINUTE = 60_000;

const root = join(import.meta.dirname, '..', '..', '..');

/** What the stack writes for `--stack` to find, as its template has it. */
function stackParameter(table: string): string {
  const [, value] =
    /\/stack\n[\s\S]*?Value: !Sub '(.+)'/.exec(readFileSync(join(root, 'infra/aws/bus.yml'), 'utf8')) ?? [];
  const known = { Table: table, 'EventBus.Arn': BUS, HttpApi: 'abc' };
  const region = { 'AWS::Region': 'eu-central-1', 'AWS::URLSuffix': 'amazonaws.com' };
  return Object.entries({ ...known, ...region }).reduce(
    (text, [key, is]) => text.replaceAll(`\${${key}}`, is),
    value ?? '',
  );
}

let bed: ConnectBed;
let dynamodb: FaultProxy;
let ssm: SsmDouble;
let store: ReturnType<typeof storeAt>['store'];
let gleaner: (...argv: string[]) => ReturnType<ConnectBed['gleaner']>;
/** `gleaner connect lab` with the administrator's kubeconfig. */
let connect: (...more: string[]) => ReturnType<ConnectBed['gleaner']>;

beforeEach(async () => {
  const local = await dynamodbBed();
  const table = await freshTable(local);
  dynamodb = await faultProxy(local.endpoint);
  [bed, ssm] = await Promise.all([connectBed(), startSsm()]);
  store = storeAt(local.endpoint, table).store;
  ssm.parameters.set('/gleaner/prod/stack', {
    value: stackParameter(table),
    type: 'String',
    description: '',
    version: 1,
  });
  const wires = { dynamodb: { ...LOCAL, endpoint: dynamodb.endpoint }, ssm: { ...LOCAL, endpoint: ssm.endpoint } };
  const doing = connectingOn({ GLEANER_STACK: 'gleaner-prod' }, { clock: bed.clock, wires });
  gleaner = (...argv) => bed.gleaner(doing, ...argv);
  connect = (...more) => gleaner('connect', 'lab', '--kubeconfig', bed.kubeconfig, ...more);
});

afterEach(async () => {
  await Promise.all([bed.stop(), ssm.stop(), dynamodb.end()]);
});

const kubeconfigName = () => `/gleaner/prod/clusters/${bed.cluster.id}`;
const keysName = () => `/gleaner/prod/watcher-keys/${bed.cluster.id}`;
const keysInParameter = () => ssm.parameters.get(keysName())?.value.split('\n') ?? [];
const row = async () => (await store.get('cluster', bed.cluster.id))?.item;

async function keysInCluster(): Promise<string[]> {
  const secret = await bed.cluster.hands.get({ ...SECRETS, namespace: 'gleaner', name: 'gleaner-keys' });
  return Buffer.from(textAt(secret, 'data', 'keys') ?? '', 'base64')
    .toString()
    .split('\n')
    .filter(Boolean);
}

const tokens = async () => (await bed.installed('Secret')).filter((name) => name.includes('-access-'));

describe('Connecting a cluster', () => {
  it('makes its accounts, rights, credential, key and row, and prints the values of its watcher', async () => {
    const { code, out, err } = await connect();

    expect(err).toContain(`cluster ${bed.cluster.id}, a harvester`);
    expect(code).toBe(0);
    expect(parse(out)).toEqual({
      flavour: 'harvester',
      cluster: { name: 'lab' },
      send: { ingest: { url: INGEST, existingSecret: 'gleaner-keys' } },
    });
    expect(await bed.installed('ServiceAccount')).toEqual(['gleaner/gleaner-watcher']);
    expect(await bed.installed('ClusterRoleBinding')).toEqual(['/gleaner-watcher']);
    expect(await row()).toMatchObject({
      ...{ name: 'lab', flavour: 'harvester', does: 'observe', kubeconfig: kubeconfigName() },
    });
    expect(ssm.parameters.get(kubeconfigName())?.type).toBe('SecureString');
    expect(keysInParameter()).toEqual([expect.stringMatching(/^whsec_[\w+/]{43}=$/)]);
    expect(await keysInCluster()).toEqual(keysInParameter());
  });

  it('prints no secret, and leaves none in the audit log', async () => {
    const { out, err } = await connect('--apply');

    const secrets = [bed.cluster.token, ...keysInParameter().map((key) => key.slice(6))];
    const told = `${out}${err}${JSON.stringify(await store.audit(0, 100))}`;
    for (const secret of secrets) expect(told).not.toContain(secret);
    expect(told).toContain('cluster-connected');
  });

  it('changes nothing where all was so already, and says so', async () => {
    await connect('--apply');
    const [before, versions] = [await row(), [...ssm.parameters.values()].map(({ version }) => version)];

    const { code, err } = await connect();

    expect(code).toBe(0);
    expect(err).not.toMatch(/^(made|changed|ended)/m);
    expect(err).toMatch(/^as it was +the row of lab in the registry: it may apply what is approved$/m);
    expect(await row()).toEqual(before);
    expect([...ssm.parameters.values()].map(({ version }) => version)).toEqual(versions);
  });

  it('shows everything in a dry run and changes nothing', async () => {
    const { code, err } = await connect('--apply', '--dry-run');

    expect(code).toBe(0);
    expect(err).toMatch(/^would make +ServiceAccount gleaner\/gleaner-applier$/m);
    expect(err).toMatch(/^would make +the row of lab/m);
    expect(await bed.installed('ClusterRole')).toEqual([]);
    expect(await bed.cluster.hands.get({ apiVersion: 'v1', kind: 'Namespace', name: 'gleaner' })).toBeUndefined();
    expect([...ssm.parameters.keys()]).toEqual(['/gleaner/prod/stack']);
    expect(await row()).toBeUndefined();
  });

  it('gives the rights to touch only by --apply, and takes them away by --observe', async () => {
    await connect('--apply');
    const applied = [await bed.installed('ClusterRole'), await bed.installed('ServiceAccount')];

    const { err } = await connect('--observe');

    expect(applied.flat()).toEqual([
      ...['/gleaner-applier', '/gleaner-watcher', 'gleaner/gleaner-applier', 'gleaner/gleaner-watcher'],
    ]);
    expect(err).toMatch(/^ended +ServiceAccount gleaner\/gleaner-applier$/m);
    expect(await bed.installed('ClusterRole')).toEqual(['/gleaner-watcher']);
    expect(await bed.installed('ServiceAccount')).toEqual(['gleaner/gleaner-watcher']);
    expect(await tokens()).toEqual([expect.stringContaining('gleaner-watcher-access-')]);
    expect((await row())?.does).toBe('observe');
  });

  it('takes no rights away while a fix is under way', async () => {
    await connect('--apply');
    await store.put('proposal', await openProposal({ cluster: bed.cluster.id, state: 'applying' }), 0);

    const { code, err } = await connect('--observe');

    expect([code, err]).toEqual([2, expect.stringContaining('A fix is under way on lab')]);
    expect(await bed.installed('ClusterRole')).toContain('/gleaner-applier');
  });

  it('keeps the heartbeat of its watcher, and the address that was said once', async () => {
    await connect('--server', bed.cluster.url.replace('127.0.0.1', 'localhost'));
    const before = await store.get('cluster', bed.cluster.id);
    if (!before) throw new Error('there is no row');
    await store.put(
      'cluster',
      { ...before.item, beatAt: '2026-01-15T12:00:00.000Z', watcher: '0.1.0' },
      before.version,
    );

    await connect('--apply');

    expect(await row()).toMatchObject({ does: 'apply', beatAt: '2026-01-15T12:00:00.000Z', watcher: '0.1.0' });
    const kubeconfig = parse(ssm.parameters.get(kubeconfigName())?.value ?? '');
    expect(kubeconfig.clusters[0].cluster.server).toContain('http://localhost:');
    expect(kubeconfig.users[0].name).toBe('gleaner-applier');
  });

  it('has two of everything while keys change, and one when they have', async () => {
    await connect();
    const [first] = keysInParameter();

    const rotated = await connect('--rotate');
    const both = [keysInParameter(), await keysInCluster(), await tokens()];
    bed.clock.forward(9 * MINUTE);
    await connect();
    const still = await keysInCluster();
    bed.clock.forward(2 * MINUTE);
    const over = await connect();

    expect(rotated.err).toMatch(/it still works: run this again after/);
    expect(both.map((some) => some.length)).toEqual([2, 2, 2]);
    expect(both[0]?.[1]).toBe(first);
    expect(still).toEqual(both[1]);
    expect(over.err).toMatch(/^ended +Secret gleaner\/gleaner-watcher-access-/m);
    expect([keysInParameter(), await keysInCluster()]).toEqual([[both[0]?.[0]], [both[0]?.[0]]]);
    expect(await tokens()).toHaveLength(1);
  });

  it('ends former keys at once where they are revoked', async () => {
    await connect();
    const [[key], [token]] = [keysInParameter(), await tokens()];

    await connect('--revoke');

    expect(keysInParameter()).toHaveLength(1);
    expect(keysInParameter()).not.toContain(key);
    expect(await tokens()).toHaveLength(1);
    expect(await tokens()).not.toContain(token);
  });

  it.each(['PutParameter', 'GetParameter /gleaner/prod/watcher-keys'])(
    'can be run again where it stopped (%s)',
    async (what) => {
      ssm.refuse((asked) => (asked.startsWith(what) ? 'AccessDeniedException' : undefined));
      const stopped = await connect();
      const half = await row();
      ssm.refuse(() => undefined);

      const { code } = await connect();

      expect([stopped.code, stopped.err]).toEqual([2, expect.stringMatching(/you need the right ssm:\w+ on it/)]);
      expect(half).toBeUndefined();
      expect(code).toBe(0);
      expect(await row()).toBeDefined();
      expect(await tokens()).toHaveLength(1);
    },
  );

  it('quotes nothing of what AWS refuses', async () => {
    ssm.refuse((asked) => (asked.startsWith('Put') ? 'ValidationException' : undefined));

    const { err } = await connect();

    expect(err).toContain('(ValidationException)');
    expect(err).not.toContain(bed.cluster.token);
  });

  it('gives one name to one cluster alone', async () => {
    const other = { schema: 1, id: 'other', name: 'lab', flavour: 'harvester', does: 'observe' } as const;
    await store.put('cluster', { ...other, registeredAt: '2026-01-15T12:00:00.000Z' }, 0);

    const { code, err } = await connect();

    expect([code, err]).toEqual([2, expect.stringContaining('lab is cluster other already')]);
    expect(await bed.installed('ClusterRole')).toEqual([]);
  });

  it('prints values for a watcher that publishes by itself', async () => {
    const { out, err } = await connect('--via', 'eventbridge');

    expect(parse(out).send).toEqual({
      eventBridge: { bus: BUS, region: 'eu-central-1', existingSecret: 'gleaner-aws' },
    });
    expect(err).toContain('kubectl create secret generic gleaner-aws');
    expect(keysInParameter()).toEqual([]);
  });

  it.each([
    [['--table', 't'], /--table and --parameters go together/],
    [['--stack', 'gleaner-dev'], /There is no parameter \/gleaner\/dev\/stack/],
    [['--stack', 'other'], /"other" is no stack of Gleaner/],
    [['--via', 'pigeon'], /say ingest or eventbridge/],
    [['--apply', '--observe'], /say one of the two/],
    [['--context', 'nope'], /has no context "nope"/],
  ])('says what is wrong with %j', async (more, because) => {
    const { code, err } = await connect(...more);

    expect([code, err]).toEqual([2, expect.stringMatching(because)]);
    expect(await bed.installed('ClusterRole')).toEqual([]);
  });
});

describe('Who connects clusters', () => {
  it('needs the rights that the document says, and no other', async () => {
    await connect('--apply');
    await connect('--rotate');
    await gleaner('clusters');
    await gleaner('disconnect', 'lab', '--kubeconfig', bed.kubeconfig);

    const page = readFileSync(join(root, 'docs/deploy-aws.md'), 'utf8');
    const policy = JSON.parse(/```json\n([\s\S]+?)```/.exec(page)?.[1] ?? '');
    const allowed: string[] = policy.Statement.flatMap(({ Action }: { Action: string[] }) => Action);
    const used = [
      ...dynamodb.sent.map(({ operation }) => `dynamodb:${operation}`),
      ...ssm.asked.map((line) => `ssm:${line.split(' ')[0]}`),
    ];
    expect([...new Set(used)].sort()).toEqual(allowed.toSorted());
  });
});

describe('Disconnecting', () => {
  it('undoes all of it, and may be repeated', async () => {
    await connect('--apply');

    const undone = await gleaner('disconnect', 'lab', '--kubeconfig', bed.kubeconfig);
    const again = await gleaner('disconnect', 'lab', '--kubeconfig', bed.kubeconfig);

    expect(undone.code).toBe(0);
    expect(undone.err).toContain('helm uninstall gleaner -n gleaner');
    expect([...ssm.parameters.keys()]).toEqual(['/gleaner/prod/stack']);
    expect(await row()).toBeUndefined();
    for (const kind of ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding', 'Secret'])
      expect(await bed.installed(kind)).toEqual([]);
    expect(again.code).toBe(0);
    expect(again.err).not.toMatch(/^ended/m);
    expect(JSON.stringify(await store.audit(0, 100))).toContain('cluster-disconnected');
  });

  it('forgets a cluster that is gone, and touches none', async () => {
    await connect();

    const { code } = await gleaner('disconnect', 'lab', '--gone');

    expect(code).toBe(0);
    expect(await row()).toBeUndefined();
    expect(await bed.installed('ServiceAccount')).toEqual(['gleaner/gleaner-watcher']);
  });

  it('waits for a fix that is under way', async () => {
    await connect('--apply');
    await store.put('proposal', await openProposal({ cluster: bed.cluster.id, state: 'approved' }), 0);

    const { code } = await gleaner('disconnect', 'lab', '--kubeconfig', bed.kubeconfig);

    expect(code).toBe(2);
    expect(await row()).toBeDefined();
  });

  it.each([
    ['another', [], /registered as lab, and not as another/],
    ['lab', ['--dry-run'], /Nothing was changed/],
  ])('does not touch what is not meant (%s %j)', async (name, more, because) => {
    await connect();

    const { err } = await gleaner('disconnect', name, '--kubeconfig', bed.kubeconfig, ...more);

    expect(err).toMatch(because);
    expect(await row()).toBeDefined();
    expect(ssm.parameters.has(kubeconfigName())).toBe(true);
    expect(await bed.installed('ServiceAccount')).toEqual(['gleaner/gleaner-watcher']);
  });
});

describe('The clusters', () => {
  it('are listed with what was heard of them and what is open there', async () => {
    await connect('--apply');
    await store.put('proposal', await openProposal({ cluster: bed.cluster.id }), 0);

    const text = await gleaner('clusters');
    const json = await gleaner('clusters', '-o', 'json');

    expect(text.out).toMatch(
      /^NAME +FLAVOUR +DOES +HEARD +WATCHER +OPEN\nlab +harvester +apply +never +- +1 waiting, 0 under way\n$/,
    );
    expect(JSON.parse(json.out).clusters).toEqual([
      expect.objectContaining({ id: bed.cluster.id, name: 'lab', waiting: 1, running: 0 }),
    ]);
    expect(json.out).not.toContain('kubeconfig');
  });

  it('may be none yet', async () => {
    expect((await gleaner('clusters')).out).toBe('No cluster is connected: `gleaner connect` does it.\n');
  });
});
