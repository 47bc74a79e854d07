import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connected, connect } from '../../adapters/kubernetes/connect.ts';
import { milliseconds } from '../../handler.ts';
import type { Event, Registered } from '../../model.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Base, Delivery } from './base.ts';
import { checked } from './kubeconfig.ts';

/** A kubeconfig that was exchanged is used everywhere after so long. */
const KEPT = milliseconds('60s');
/** A cluster that did not answer is not asked again for a while: deliveries for others would wait behind it. */
const SHUNNED = milliseconds('15s');

type ReachParts = Pick<Base, 'log' | 'machine' | 'parameters' | 'store'>;

interface Line {
  /** The parameter and its version: a new one is a new connection. */
  readonly from: string;
  readonly connected: Promise<Connected>;
  failedAt?: number;
}

/**
 * Connects to the one cluster that a delivery is about, with the kubeconfig that its row names. Throws, which means "run
 * me again", where it does not answer, or where what answers is another cluster.
 */
export function reaching({ log, machine, parameters, store }: ReachParts) {
  const lines = new Map<string, Line>();

  async function lineTo(row: Registered, name: string): Promise<Line> {
    const now = machine.now().getTime();
    const found = await parameters.newest(name, KEPT);
    const known = lines.get(row.id);
    if (found.is !== 'there') {
      if (found.is === 'unreadable' && known?.failedAt === undefined && known) return known;
      throw new Error(`Cluster ${row.name} cannot be reached: ${found.because}`);
    }
    const from = `${name}:${found.version}`;
    const isShunned = known?.failedAt !== undefined && now - known.failedAt < SHUNNED;
    if (known?.from === from && (known.failedAt === undefined || isShunned)) return known;
    // The former connection is not closed: other deliveries may be using it. What is idle ends by itself.
    const line: Line = { from, connected: joined(row, found.value) };
    lines.set(row.id, line);
    line.connected.catch(() => {
      line.failedAt = machine.now().getTime();
    });
    return line;
  }

  async function joined({ id, name, does }: Registered, kubeconfig: string): Promise<Connected> {
    const warn = (because: string) => log.warn({ cluster: name }, because);
    const connected = await withFile(checked(kubeconfig, name), (file) =>
      connect({ name, does, kubeconfig: file, clock: machine, warn }),
    );
    if (connected.id === id) return connected;
    connected.close();
    throw new Error(
      `The kubeconfig of ${name} leads to cluster ${connected.id}, and ${name} is ${id}: a plan of one would be carried out on the other`,
    );
  }

  return async ({ event, registered }: Delivery): Promise<{ clusters: ReadonlyMap<string, Cluster> }> => {
    const row = registered.get((await clusterOf(store, event)) ?? '');
    // Without it the hop says which cluster is missing.
    if (row?.kubeconfig === undefined) return { clusters: new Map() };
    const { connected } = await lineTo(row, row.kubeconfig);
    // A change of its row counts at once, whenever the connection was made.
    return { clusters: new Map([[row.id, { ...(await connected), name: row.name, does: row.does }]]) };
  };
}

/** Which cluster an event is about. */
async function clusterOf(store: ReachParts['store'], event: Event): Promise<string | undefined> {
  if ('cluster' in event) return event.cluster;
  return 'proposal' in event ? (await store.get('proposal', event.proposal))?.item.cluster : undefined;
}

/** client-node's reader of kubeconfigs takes files. It has read all of it when the connection stands; then it is gone. */
async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-'));
  try {
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, text, { mode: 0o600 });
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
