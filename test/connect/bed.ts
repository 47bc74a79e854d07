import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { type Connecting, connecting } from '../../shared/cli/connect.ts';
import { run } from '../../shared/cli/main.ts';
import type { JsonObject } from '../../shared/handler.ts';
import { at, textAt } from '../../shared/playground/json.ts';
import { type PretendCluster, startPretendCluster } from '../../shared/playground/start-pretend-cluster.ts';
import type { Clock } from '../../shared/ports/clock.ts';

export const SECRETS = { apiVersion: 'v1', kind: 'Secret' } as const;

/** A clock that the test moves. A short pause of it is over at once: what would happen meanwhile happens in it. */
interface PausedClock extends Clock {
  forward(ms: number): void;
  meanwhile(act: () => Promise<void>): void;
}

function pausedClock(): PausedClock {
  let ahead = 0;
  let act = async () => {};
  return {
    now: () => new Date(systemClock.now().getTime() + ahead),
    after(ms, then) {
      if (ms > 1_000) return systemClock.after(ms, then);
      void act().then(then);
      return () => {};
    },
    forward: (ms) => {
      ahead += ms;
    },
    meanwhile: (next) => {
      act = next;
    },
  };
}

/** A cluster on loopback, with a controller that fills token Secrets as Kubernetes' does. */
export interface ConnectBed {
  readonly clock: PausedClock;
  readonly cluster: PretendCluster;
  /** The administrator's kubeconfig, as a file. */
  readonly kubeconfig: string;
  secrets(): Promise<readonly JsonObject[]>;
  /** `Kind namespace/name` of everything that is Gleaner's, sorted. */
  installed(kind: string): Promise<readonly string[]>;
  /** One run of the command line: what it printed where, and its exit code. */
  gleaner(doing: Connecting, ...argv: string[]): Promise<{ code: number; out: string; err: string }>;
  stop(): Promise<void>;
}

export async function connectBed(name = 'lab'): Promise<ConnectBed> {
  const clock = pausedClock();
  const cluster = await startPretendCluster({ flavour: 'harvester', name, clock: systemClock, drills: [] });
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-connecting-'));
  const kubeconfig = join(folder, 'admin.yaml');
  writeFileSync(kubeconfig, cluster.kubeconfig());
  const { hands } = cluster;
  clock.meanwhile(async () => {
    for (const secret of await hands.list(SECRETS)) {
      if (textAt(secret, 'type') !== 'kubernetes.io/service-account-token' || at(secret, 'data', 'token')) continue;
      // The only token that the pretend API server knows.
      const token = Buffer.from(cluster.token).toString('base64');
      await hands.merge({ ...SECRETS, ...placeOf(secret) }, { data: { token } });
    }
  });
  return {
    ...{ clock, cluster, kubeconfig },
    secrets: () => hands.list(SECRETS),
    async installed(kind) {
      const apiVersion = /Role/.test(kind) ? 'rbac.authorization.k8s.io/v1' : 'v1';
      const all = await hands.list(
        { apiVersion, kind },
        { labels: { 'app.kubernetes.io/managed-by': 'gleaner-connect' } },
      );
      return all.map((object) => [textAt(object, 'metadata', 'namespace'), placeOf(object).name].join('/')).sort();
    },
    async gleaner(doing, ...argv) {
      const said = { out: '', err: '' };
      const around = {
        ...{ version: '1.2.3', terminal: { width: 160, colours: false } },
        out: (text: string) => {
          said.out += text;
        },
        err: (text: string) => {
          said.err += text;
        },
      };
      const none = () => Promise.reject(new Error('nothing is diagnosed here'));
      return { code: await run(argv, around, none, connecting(around, doing)), ...said };
    },
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function placeOf(object: JsonObject): { name: string; namespace?: string } {
  const namespace = textAt(object, 'metadata', 'namespace');
  return { name: textAt(object, 'metadata', 'name') ?? '', ...(namespace !== undefined && { namespace }) };
}
