import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPaths, missingBinaries } from '../control-plane/binaries.ts';
import { type ApiServerOptions, apiServerRecipe } from './apiserver.ts';
import { type Component, startComponent } from './component.ts';
import { type ControllerOptions, controllersRecipe, schedulerRecipe } from './controllers.ts';
import { type CrdSource, installCrds } from './crds.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import { freePorts } from './free-ports.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { fileName, makePki, type Pki } from './pki.ts';
import { createRequester, type Request } from './requester.ts';

/** What a bed is made of. Without options: everything but the node-lifecycle controller. */
export interface BedOptions extends ControllerOptions, ApiServerOptions {
  /** Default true. Without it, pods stay Pending. */
  readonly scheduler?: boolean;
}

/** How a kubeconfig may differ from the usual one. */
interface IdentityOptions {
  readonly groups?: readonly string[];
  /** Another way to the API server: the address of a proxy. */
  readonly server?: string;
}

/** A control plane of real components on loopback. Nodes and what runs on them: `startNodeAgent`. */
export interface Bed {
  readonly url: string;
  readonly port: number;
  /** Holds keys, kubeconfigs, data and logs; gone after `stop`. */
  readonly folder: string;
  readonly pki: Pki;
  readonly apiserver: Component;
  readonly etcd: Etcd;
  /** Undefined where `controllers: []` asked for none. */
  readonly controllers: Component | undefined;
  readonly scheduler: Component | undefined;
  /** As the admin of the cluster. */
  readonly request: Request;
  /**
   * Writes a kubeconfig for a client certificate and gives its path. `admin` is in `system:masters`; anybody else has
   * only the rights that the test grants to the user or to its groups.
   */
  kubeconfig(user: string, options?: IdentityOptions): string;
  /** Sends requests as somebody else. */
  as(user: string, groups?: readonly string[]): Request;
  /** Creates the custom resource definitions and waits until each is served. Default: those of `test/cluster/crds`. */
  installCrds(source?: CrdSource): Promise<string[]>;
  /** Runs before the control plane ends, the last one first. */
  onStop(close: () => Promise<void> | void): void;
  stop(): Promise<void>;
}

/** Starts etcd, kube-apiserver, and the controllers and scheduler asked for; resolves once the API server is ready. */
export async function startBed(options: BedOptions = {}): Promise<Bed> {
  const missing = missingBinaries();
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} missing: run node test/cluster/control-plane/build.ts`);
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bed-'));
  const closers: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await assemble(folder, options, { stop, onStop: (close) => void closers.push(close) });
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function assemble(folder: string, options: BedOptions, life: Pick<Bed, 'stop' | 'onStop'>): Promise<Bed> {
  const started = async <C extends Component>(component: Promise<C>): Promise<C> => {
    const running = await component;
    life.onStop(() => running.kill());
    return running;
  };
  const binaries = binaryPaths();
  const [pki, ports] = await Promise.all([makePki(folder), freePorts(3)]);
  const [port = 0, clientPort = 0, peerPort = 0] = ports;
  const url = `https://127.0.0.1:${port}`;
  const admin = createRequester(url, pki.ca.cert, pki.admin);
  life.onStop(admin.close);
  const etcd = await started(startEtcd({ program: binaries.etcd, folder, clientPort, peerPort }));
  const place = { folder, pki, url, port, etcdUrl: etcd.url, request: admin.request };
  const apiserver = await started(startComponent(apiServerRecipe(binaries['kube-apiserver'], place, options)));
  const controllers = controllersRecipe(binaries['kube-controller-manager'], place, options);
  const scheduler = schedulerRecipe(binaries['kube-scheduler'], place);
  return {
    ...{ url, port, folder, pki, apiserver, etcd, request: admin.request, ...life },
    ...identities(folder, url, pki, life),
    controllers: controllers && (await started(startComponent(controllers))),
    scheduler: options.scheduler === false ? undefined : await started(startComponent(scheduler)),
    installCrds: (source) => installCrds(admin.request, source),
  };
}

function identities(folder: string, url: string, pki: Pki, life: Pick<Bed, 'onStop'>): Pick<Bed, 'kubeconfig' | 'as'> {
  const keysOf = (user: string, groups: readonly string[]) =>
    user === 'admin' && groups.length === 0 ? pki.admin : pki.issue({ user, groups });
  return {
    kubeconfig(user, { groups = [], server = url } = {}) {
      const path = join(folder, `${fileName({ user, groups })}-${new URL(server).port}.kubeconfig`);
      return writeKubeconfig(path, { server, ca: pki.ca.cert, user, keys: keysOf(user, groups) });
    },
    as(user, groups = []) {
      const { request, close } = createRequester(url, pki.ca.cert, keysOf(user, groups));
      life.onStop(close);
      return request;
    },
  };
}
