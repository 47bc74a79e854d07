import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { modes } from '../../handlers/index.ts';
import { steadyClock } from '../adapters/clock/steady.ts';
import { systemClock } from '../adapters/clock/system.ts';
import { ingestAddress, ingestBus } from '../adapters/ingest/bus.ts';
import { keysIn } from '../adapters/ingest/signature.ts';
import type { Access } from '../adapters/kubernetes/access.ts';
import { connect } from '../adapters/kubernetes/connect.ts';
import { kubernetesLease } from '../adapters/kubernetes/lease.ts';
import { podIdentity } from '../adapters/kubernetes/pod-identity.ts';
import { ROUTES } from '../flow/routes.ts';
import { watch } from '../flow/watch.ts';
import type { Mode } from '../handler.ts';
import type { Bus } from '../ports/bus.ts';
import { lambdaLog } from '../runtime/lambda-log.ts';
import type { Log } from '../runtime/log.ts';
import type { Account } from '../runtime/watcher/cursor.ts';
import { type Gate, gate } from '../runtime/watcher/gate.ts';
import { pauses } from '../runtime/watcher/pauses.ts';
import { servePages } from '../runtime/watcher/serve.ts';
import { type Target, type WatcherSettings, watcherSettings } from '../runtime/watcher/settings.ts';
import { PATIENCE } from '../runtime/watcher/tenure.ts';
import { type Watcher, watcher } from '../runtime/watcher/watcher.ts';
import { watcherMetrics } from '../runtime/watcher/watcher-metrics.ts';

/** Between two attempts to reach the cluster for the first time. */
const RECONNECT = 5_000;

/** What runs a watcher, beside its variables. */
export interface WatcherSurroundings {
  readonly version: string;
  /** Takes each line of the log. */
  readonly out: { write(line: string): void };
  readonly modes?: readonly Mode[];
}

/** Runs the watcher of one cluster until aborted. Throws an Error of few lines where its variables are wrong. */
export async function runWatcher(
  env: Readonly<Record<string, string | undefined>>,
  around: WatcherSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const settings = watcherSettings(env);
  const log = quietened(
    lambdaLog(systemClock.now, (line) => around.out.write(`${line}\n`)),
    settings.level,
  );
  const metrics = watcherMetrics(systemClock.now);
  let running: Watcher | undefined;
  const pages = {
    unwell: () => (running ? running.unwell() : 'the cluster was not reached yet'),
    metrics: metrics.text,
  };
  const server = await servePages(pages, settings.serve);
  try {
    const clocks = { steady: steadyClock(), wall: systemClock };
    const access = await accessOf(settings);
    let seen: Account | undefined;
    const cluster = await reached({ access, name: settings.name, log, seen: () => seen }, signal);
    if (!cluster) return;
    const lease = kubernetesLease({ ...settings.lease, access, clock: clocks.steady, within: PATIENCE });
    const own = around.modes ?? modes;
    const out = gate(clocks);
    running = watcher({
      ...{ cluster, modes: own, version: around.version, lease, clocks, log, metrics, gate: out },
      ...{ me: `${settings.pod}_${randomBytes(4).toString('hex')}`, random: Math.random },
      bus: await busTo(settings.target, cluster.id, out),
      watch(bus, account, over) {
        seen = account;
        return watch({ modes: own }, { bus, clock: systemClock }, cluster, over);
      },
    });
    log.info({ cluster: cluster.id, flavour: cluster.flavour, target: settings.target.is }, 'standing by');
    await running.run(signal);
    lease.close();
    cluster.close();
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Leaves out what is below a level. */
function quietened(log: Log, level: WatcherSettings['level']): Log {
  const none = () => {};
  return {
    info: level === 'info' ? log.info : none,
    warn: level === 'error' ? none : log.warn,
    error: log.error,
  };
}

async function accessOf({ access }: WatcherSettings): Promise<Access> {
  if ('host' in access) return podIdentity(access);
  const { readIdentity } = await import('../adapters/kubernetes/identity.ts');
  return readIdentity(access);
}

interface Reaching {
  readonly access: Access;
  readonly name: string;
  readonly log: Log;
  readonly seen: () => Account | undefined;
}

/** The cluster, once it answers; undefined: aborted before it did. */
async function reached({ access, name, log, seen }: Reaching, signal: AbortSignal) {
  const { pause } = pauses(systemClock);
  while (!signal.aborted) {
    try {
      return await connect({
        ...{ access, name, clock: systemClock },
        warn: (because) => log.warn({ because }, 'the cluster'),
        witness: {
          heard: (kind, collection) => seen()?.heard(kind, collection),
          listed: (kind, collection, objects) => seen()?.listed(kind, collection, objects),
        },
      });
    } catch (error) {
      log.warn({ because: String(error) }, 'the cluster cannot be reached yet');
      await pause(RECONNECT, signal);
    }
  }
  return undefined;
}

/** What is not used is not loaded: the SDK of AWS weighs more than the watcher. */
async function busTo(target: Target, cluster: string, out: Gate): Promise<Bus> {
  switch (target.is) {
    case 'ingest':
      return ingestBus({
        ...{ url: ingestAddress(target.url), cluster, clock: systemClock, through: out.through },
        // Read anew each time: whoever changes the keys restarts nothing.
        keys: async () => keysIn(await readFile(target.keys, 'utf8')),
      });
    case 'eventbridge': {
      const { eventBridgeBus } = await import('../adapters/eventbridge/bus.ts');
      const { eventBridgeClient } = await import('../adapters/eventbridge/client.ts');
      const client = eventBridgeClient({
        // Without `throwOnRequestTimeout` the SDK only logs that a request takes long (@smithy/node-http-handler).
        requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_500, throwOnRequestTimeout: true },
      });
      client.middlewareStack.add((next) => (args) => out.through(() => next(args)), { step: 'initialize' });
      const delays = {
        hold: () => Promise.reject(new Error('A watcher tells nothing for later')),
      };
      return eventBridgeBus({ client, bus: target.bus, clock: systemClock, routes: ROUTES, delays });
    }
  }
}
