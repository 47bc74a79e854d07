import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { freePorts } from '../bed/free-ports.ts';
import { startProxy } from '../bed/proxy.ts';
import { type Bed, startBed } from '../bed/start-bed.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Unpacked, unpackImage } from './unpack.ts';

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A watcher as a process of the image, with a proxy of its own before the API server. */
export interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly proxy: Awaited<ReturnType<typeof startProxy>>;
  log(): string;
  page(path: string): Promise<{ readonly status: number; readonly text: string }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** One request of the watcher's account, as the API server's audit log has it. */
const Audited = z.object({
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      resource: z.string().default(''),
      apiGroup: z.string().default(''),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
});
type Audited = z.infer<typeof Audited>;

export interface WatchedBed {
  readonly bed: Bed;
  readonly receiver: Receiver;
  readonly image: Unpacked;
  start(name: string, more?: Readonly<Record<string, string>>): Promise<Running>;
  /** Who holds the Lease. */
  holder(): Promise<string>;
  audited(): Audited[];
}

const MANIFESTS = join(import.meta.dirname, '..', '..', '..', 'infra', 'watcher', 'manifests');

/** Applies manifests one by one, each strictly checked, in namespaces that are made for it. */
export async function apply(bed: Bed, text: string): Promise<void> {
  for (const document of parseAllDocuments(text)) {
    const object = z
      .looseObject({
        apiVersion: z.string(),
        kind: z.string(),
        metadata: z.looseObject({ namespace: z.string().optional() }),
      })
      .nullable()
      .parse(document.toJS());
    if (object) await create(bed, object);
  }
}

/** The plural of what the chart renders. */
const plural = (kind: string) =>
  (kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : kind.endsWith('s') ? `${kind}es` : `${kind}s`).toLowerCase();

async function create(
  bed: Bed,
  object: { apiVersion: string; kind: string; metadata: { namespace?: string | undefined } },
) {
  const { namespace } = object.metadata;
  if (namespace !== undefined) await bed.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const inside = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const path = `${root}${inside}/${plural(object.kind)}?fieldValidation=Strict`;
  const { code, body, headers } = await bed.request('POST', path, object);
  const isThere = code === 409 && object.kind === 'Namespace';
  if ((code !== 201 && !isThere) || headers.warning !== undefined)
    throw new Error(`${object.kind} was answered with ${code}: ${JSON.stringify(body)} ${headers.warning ?? ''}`);
}

const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    users: ["system:serviceaccount:gleaner:gleaner-follower"]
  - level: None
`;

/** A control plane with Harvester's kinds and the plain manifests, on which the image's files run as the account that those make. */
export async function watchedBed(): Promise<WatchedBed> {
  const [policy, log] = ['policy.yaml', 'audit.log'].map((name) => join(tmpdir(), `gleaner-${process.pid}-${name}`));
  writeFileSync(policy ?? '', POLICY);
  writeFileSync(log ?? '', '');
  const bed = await startBed({
    ...{ controllers: [], scheduler: false },
    // Lists and watches are two verbs: with streamed lists alone the right to list would look spare.
    featureGates: { WatchList: false },
    apiserverArgs: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
  });
  bed.onStop(() => [policy, log].forEach((file) => void rmSync(file ?? '', { force: true })));
  await bed.installCrds();
  const watched = await watchersOn(bed);
  return {
    ...watched,
    audited: () =>
      readFileSync(log ?? '', 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => Audited.parse(JSON.parse(line))),
  };
}

/** What runs watchers on a bed that has Harvester's kinds. */
export async function watchersOn(bed: Bed): Promise<Omit<WatchedBed, 'audited'>> {
  const image = await unpackImage();
  bed.onStop(image.remove);
  await apply(bed, readFileSync(join(MANIFESTS, 'harvester.yaml'), 'utf8'));
  const self = await bed.request('GET', '/api/v1/namespaces/kube-system');
  const receiver = startReceiver(String(Object(self.body).metadata?.uid), KEY);
  bed.onStop(receiver.stop);
  const token = await bed.request('POST', '/api/v1/namespaces/gleaner/serviceaccounts/gleaner-follower/token', {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  });
  image.mount(`${ACCOUNT}/token`, String(Object(token.body).status?.token));
  image.mount(`${ACCOUNT}/ca.crt`, readFileSync(bed.pki.ca.cert, 'utf8'));
  image.mount('/etc/gleaner/keys', `${KEY}\n`);

  return {
    ...{ bed, image, receiver },
    start: (name, more) => start({ bed, image, receiver }, name, more),
    async holder() {
      const { body } = await bed.request(
        'GET',
        '/apis/coordination.k8s.io/v1/namespaces/gleaner/leases/gleaner-watcher',
      );
      return String(Object(body).spec?.holderIdentity ?? '');
    },
  };
}

async function start(
  { bed, image, receiver }: Pick<WatchedBed, 'bed' | 'image' | 'receiver'>,
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const proxy = await startProxy(bed.port);
  bed.onStop(proxy.stop);
  const [port = 0] = await freePorts(1);
  const { program, args, inside } = image.command();
  const { port: apiPort } = new URL(proxy.url);
  const env = {
    ...{ PATH: process.env.PATH, GLEANER_CLUSTER: 'bed', POD_NAME: name, POD_NAMESPACE: 'gleaner' },
    ...{ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: apiPort, GLEANER_ACCOUNT: inside(ACCOUNT) },
    ...{ GLEANER_INGEST_URL: await receiver.door(name), GLEANER_INGEST_KEYS: inside('/etc/gleaner/keys') },
    ...{ GLEANER_PORT: String(port), GLEANER_HOST: '127.0.0.1' },
    ...more,
  };
  const child = spawn(program, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += String(bytes)));
  const exit = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exit;
  };
  bed.onStop(async () => {
    if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL');
  });
  return {
    ...{ name, child, proxy, kill },
    log: () => text,
    async page(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, text: await answer.text() };
    },
  };
}
