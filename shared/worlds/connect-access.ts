import { randomBytes } from 'node:crypto';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { Access } from '../adapters/kubernetes/access.ts';
import { type Installer, installer } from '../adapters/kubernetes/install.ts';
import { addressOf } from '../adapters/kubernetes/introduce.ts';
import type { JsonObject } from '../handler.ts';
import type { Clock } from '../ports/clock.ts';
import { checked } from './aws/kubeconfig.ts';
import type { Run } from './connect.ts';
import { called, cautionsFor, put } from './connect-cluster.ts';
import { OVERLAP } from './connect-keys.ts';
import { accountOf, HOME } from './connect-rights.ts';

/** How long the API server's controllers may take to write a token, and to believe in it. */
const PATIENCE = 20_000;
const PAUSE = 500;

const ACCOUNT = 'kubernetes.io/service-account.name';
/** By this machine's clock, and finer than Kubernetes' own seconds. */
const MADE_AT = 'gleaner.dev/made-at';
const TYPE = 'kubernetes.io/service-account-token';

const TokenSecret = z.object({
  type: z.string(),
  metadata: z.object({
    name: z.string(),
    creationTimestamp: z.string(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  data: z.object({ token: z.string().optional(), 'ca.crt': z.string().optional() }).optional(),
});

/** A credential of one of Gleaner's accounts, with the object that is it. */
interface Credential {
  readonly name: string;
  readonly account: string;
  readonly madeAt: Date;
  readonly object: JsonObject;
}

/**
 * A Secret that Kubernetes fills with a token of the account. It works until the Secret is deleted, and for the ten seconds
 * for which the API server remembers that it believed it. A token of the TokenRequest API would end by the calendar: some
 * day the cluster that needs Gleaner would be the one that refuses it; and to renew itself an account needs the right to
 * make tokens, with which a stolen one renews itself too. Nobody but the cluster's administrators may read Secrets of this
 * namespace: no generated right names them.
 */
function tokenSecret(account: string, now: Date): { readonly name: string; readonly object: JsonObject } {
  const name = `${account}-access-${randomBytes(4).toString('hex')}`;
  const metadata = { name, namespace: HOME, annotations: { [ACCOUNT]: account, [MADE_AT]: now.toISOString() } };
  return { name, object: { apiVersion: 'v1', kind: 'Secret', type: TYPE, metadata } };
}

/** The credentials among installed Secrets, the newest first. */
function credentialsIn(secrets: readonly JsonObject[]): readonly Credential[] {
  const found = secrets.flatMap((object): Credential[] => {
    const secret = TokenSecret.safeParse(object).data;
    if (secret?.type !== TYPE) return [];
    const { name, creationTimestamp, annotations = {} } = secret.metadata;
    const madeAt = new Date(annotations[MADE_AT] ?? creationTimestamp);
    return [{ name, account: annotations[ACCOUNT] ?? '', madeAt, object }];
  });
  return found.sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
}

/** What the token controller wrote into a Secret. Throws where it writes nothing in time. */
async function tokenIn(cluster: Pick<Installer, 'read'>, name: string, clock: Clock) {
  for (let waited = 0; waited <= PATIENCE; waited += PAUSE) {
    const read = await cluster.read({ apiVersion: 'v1', kind: 'Secret', namespace: HOME, name });
    if (read.is === 'unreadable') throw new Error(read.because);
    const data = read.is === 'there' ? TokenSecret.safeParse(read.object).data?.data : undefined;
    if (data?.token !== undefined) return { token: plain(data.token), ca: data['ca.crt'] && plain(data['ca.crt']) };
    await pause(clock);
  }
  throw new Error(
    `Secret ${HOME}/${name} got no token in ${PATIENCE / 1000} s: look whether kube-controller-manager runs, then run it again`,
  );
}

const plain = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
const pause = (clock: Clock) => new Promise<void>((resolve) => void clock.after(PAUSE, resolve));

/** The way to a cluster for the functions. `ca`: PEM; `own`: the cluster's own authority, as it writes it beside each token. */
export interface Line {
  readonly server: string;
  readonly ca: { readonly is: 'own' } | { readonly is: 'told'; readonly pem: string | undefined };
  readonly servername: string | undefined;
}

/**
 * The way that the administrator takes, or another address of the same API server: the one that was said, else the one
 * that was said before. Throws where that way is none for anybody else.
 */
export async function lineTo(admin: Access, said: string | undefined, kept: string | undefined): Promise<Line> {
  const before = serverIn(kept);
  const server = said ?? (before === admin.server ? undefined : before);
  if (server !== undefined) return { server: addressOf(server).origin, ca: { is: 'own' }, servername: undefined };
  const { tls, agent } = await admin.renew();
  // Over plain HTTP, to this machine, there is none to check.
  if (tls.rejectUnauthorized === false && admin.server.startsWith('https:'))
    throw new Error(
      'The kubeconfig does not check the certificate of the API server: name its authority there, or say --server',
    );
  if (agent !== undefined)
    throw new Error('The kubeconfig goes through a proxy, which the functions do not have: say --server');
  const pem = [tls.ca ?? []].flat().map(String).join('\n') || undefined;
  return { server: admin.server, ca: { is: 'told', pem }, servername: tls.servername };
}

/** What the functions show, and by what they check the other side. */
interface Way extends Omit<Line, 'ca'> {
  readonly ca: string | undefined;
  readonly token: string;
}

/** A kubeconfig that holds all that it needs. */
function kubeconfigOf(name: string, account: string, { server, ca, servername, token }: Way): string {
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(servername !== undefined && { 'tls-server-name': servername }),
  };
  return stringify(
    {
      ...{
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name, cluster }],
        users: [{ name: account, user: { token } }],
      },
      ...{ contexts: [{ name, context: { cluster: name, user: account } }], 'current-context': name },
    },
    { lineWidth: 0 },
  );
}

const Kept = z.object({ clusters: z.array(z.object({ cluster: z.object({ server: z.url() }) })).min(1) });

/** The address in a kubeconfig that was made here before; undefined: there is none. */
function serverIn(text: string | undefined): string | undefined {
  try {
    return Kept.safeParse(parse(text ?? '')).data?.clusters[0]?.cluster.server;
  } catch {
    return undefined;
  }
}

/** Tries a way in. A caution where it leads nowhere from here; throws where it leads to another cluster, or nobody is let in. */
async function tryOut(way: Way, id: string, clock: Clock): Promise<string | undefined> {
  const { server, ca, servername, token } = way;
  const credentials = { headers: { Authorization: `Bearer ${token}` }, tls: { ca, servername }, agent: undefined };
  const cluster = installer({ access: { context: 'connect', server, renew: async () => credentials }, clock });
  try {
    for (let waited = 0; ; waited += PAUSE) {
      const tried = await cluster.tried();
      if (tried.is === 'in' && tried.id === id) return undefined;
      if (tried.is === 'in') throw new Error(`${server} is cluster ${tried.id}, and not ${id}: say another --server`);
      if (tried.is === 'unreached')
        return `${server} cannot be reached from here (${tried.because}): make sure that the functions can`;
      if (waited >= PATIENCE)
        throw new Error(
          `${server} does not let Gleaner's account in (${tried.because}): say a node's own address, as --server https://NODE:6443`,
        );
      await pause(clock);
    }
  } finally {
    cluster.close();
  }
}

/** What the functions get, and what they had. */
export interface Credentials {
  /** Undefined in a trial of what is not there yet. */
  readonly kubeconfig: string | undefined;
  readonly current: Pick<Credential, 'name' | 'madeAt'>;
  readonly former: readonly Credential[];
}

/** The credential of the account that the functions use: made where there is none, or a new one is asked for, and tried out. */
export async function access(run: Run): Promise<Credentials> {
  const { cluster, line, given, clock, tell, isTrial, does, id } = run;
  const account = accountOf(does);
  const all = credentialsIn(await cluster.installed({ apiVersion: 'v1', kind: 'Secret' }));
  const newest = given.rotate ? undefined : all.find((one) => one.account === account);
  const made = newest ? undefined : tokenSecret(account, clock.now());
  if (newest) tell({ is: 'same', what: called(newest.object), because: `the credential of ${account}` });
  if (made) await put(cluster, made.object, run);
  const current = newest ?? { name: made?.name ?? '', madeAt: clock.now() };
  const former = all.filter(({ name }) => name !== current.name);
  if (isTrial && made) return { kubeconfig: undefined, current, former };
  const { token, ca } = await tokenIn(cluster, current.name, clock);
  const way = { ...line, token, ca: line.ca.is === 'own' ? ca : line.ca.pem };
  for (const what of await cautionsFor(cluster, way.server)) tell({ is: 'caution', what });
  const unsure = await tryOut(way, id, clock);
  if (unsure !== undefined) tell({ is: 'caution', what: unsure });
  return { kubeconfig: checked(kubeconfigOf(given.name, account, way), given.name), current, former };
}

/** Ends the credentials that have a successor, once everybody has read it; at once where that is asked for, or its account is gone. */
export async function retire({ cluster, given, clock, does, isTrial, tell }: Run, { current, former }: Credentials) {
  const endsAt = new Date(current.madeAt.getTime() + OVERLAP);
  for (const { object, account } of former) {
    const isOver = given.revoke || clock.now() >= endsAt || (does === 'observe' && account !== accountOf(does));
    const what = called(object);
    if (isOver) {
      await cluster.remove(object, isTrial);
      tell({ is: 'ended', what, because: 'it has a successor' });
    } else {
      const until = endsAt.toISOString();
      tell({
        is: 'note',
        what,
        because: `it still works: run this again after ${until} to end it (--revoke ends it now)`,
      });
    }
  }
}
