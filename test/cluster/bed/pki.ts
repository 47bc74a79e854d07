import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate and its key, as files. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate says about its holder: for the API server, O is a group and CN the user. */
export interface Subject {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** The keys of one control plane. */
export interface Pki {
  readonly ca: KeyPair;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  readonly controllers: KeyPair;
  readonly scheduler: KeyPair;
  readonly kubeletClient: KeyPair;
  readonly frontProxyCa: KeyPair;
  readonly frontProxy: KeyPair;
  readonly serviceAccounts: KeyPair;
  /** A client certificate for anybody else, signed by the same authority. */
  issue(subject: Subject): KeyPair;
}

// `openssl req -x509` with its own default configuration would make every certificate an authority.
const configuration = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
[holder]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
`;

/** Makes the keys of a control plane in `folder`. */
export async function makePki(folder: string): Promise<Pki> {
  const config = join(folder, 'openssl.cnf');
  writeFileSync(config, configuration);
  const prepare = (name: string, subject: Subject, signer?: KeyPair) =>
    certificate({ folder, config, name, subject, signer });
  const make = async (name: string, subject: Subject, signer?: KeyPair) => {
    const { pair, args } = prepare(name, subject, signer);
    await promisify(execFile)('openssl', args);
    return pair;
  };
  const [ca, frontProxyCa, serviceAccounts] = await Promise.all([
    make('ca', { user: 'bed-ca' }),
    make('front-proxy-ca', { user: 'front-proxy-ca' }),
    make('service-accounts', { user: 'service-accounts' }),
  ]);
  const [serving, admin, controllers, scheduler, kubeletClient, frontProxy] = await Promise.all([
    make('serving', { user: 'kube-apiserver' }, ca),
    make('admin', { user: 'admin', groups: ['system:masters'] }, ca),
    // Its own role grants little: it expects to act as a service account per controller, which a bed has no need of.
    make('controllers', { user: 'system:kube-controller-manager', groups: ['system:masters'] }, ca),
    make('scheduler', { user: 'system:kube-scheduler' }, ca),
    make('kubelet-client', { user: 'kube-apiserver-kubelet-client' }, ca),
    make('front-proxy', { user: 'front-proxy' }, frontProxyCa),
  ]);
  const issue = (subject: Subject) => {
    const { pair, args } = prepare(`client-${fileName(subject)}`, subject, ca);
    execFileSync('openssl', args, { stdio: 'pipe' });
    return pair;
  };
  return {
    ca,
    serving,
    admin,
    controllers,
    scheduler,
    kubeletClient,
    frontProxyCa,
    frontProxy,
    serviceAccounts,
    issue,
  };
}

interface Certificate {
  readonly folder: string;
  readonly config: string;
  readonly name: string;
  readonly subject: Subject;
  readonly signer: KeyPair | undefined;
}

function certificate({ folder, config, name, subject, signer }: Certificate): { pair: KeyPair; args: string[] } {
  const pair = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const holder = [...(subject.groups ?? []).map((group) => `/O=${group}`), `/CN=${subject.user}`].join('');
  const args = ['req', '-x509', '-config', config, '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  args.push('-nodes', '-days', '2', '-subj', holder, '-out', pair.cert, '-keyout', pair.key);
  args.push('-extensions', signer ? 'holder' : 'authority');
  if (signer) args.push('-CA', signer.cert, '-CAkey', signer.key);
  return { pair, args };
}

/** One file per identity, whatever characters it is made of. */
export function fileName({ user, groups = [] }: Subject): string {
  return [user, ...groups].join('+').replace(/[^\w.+-]/g, '_');
}
