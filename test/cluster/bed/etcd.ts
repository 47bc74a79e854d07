import { join } from 'node:path';
import { z } from 'zod';
import { type Component, startComponent } from './component.ts';
import { until } from './until.ts';

/** The store below the API server. */
export interface Etcd extends Component {
  readonly url: string;
  /** Drops the history up to now: a watch from an older resourceVersion gets 410. */
  compact(): Promise<void>;
}

/** Where etcd runs. */
export interface EtcdPlace {
  readonly program: string;
  readonly folder: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

// etcd's own JSON gateway: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ (64-bit numbers are strings there)
const statusSchema = z.object({ header: z.object({ revision: z.string() }) });

/** Starts a single etcd that never waits for the disk. */
export async function startEtcd({ program, folder, clientPort, peerPort }: EtcdPlace): Promise<Etcd> {
  const url = `http://127.0.0.1:${clientPort}`;
  const peers = `http://127.0.0.1:${peerPort}`;
  const component = await startComponent({
    program,
    logFile: join(folder, 'etcd.log'),
    args: [
      '--name=bed',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=bed=${peers}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    ready: () =>
      until('etcd is healthy', async () => (await fetch(`${url}/health`)).ok || undefined).then(() => undefined),
  });
  const call = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    ...component,
    url,
    async compact() {
      const { header } = statusSchema.parse(await call('maintenance/status', {}));
      await call('kv/compaction', { revision: header.revision, physical: true });
    },
  };
}
