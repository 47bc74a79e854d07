import type { HopName } from '../flow/routes.ts';
import { looksAt, type World } from '../flow/world.ts';
import { milliseconds } from '../handler.ts';
import type { Event, EventName, Outgoing } from '../model.ts';
import type { Bus, Consumer } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** How often the clock is told: expiry, reminders and re-checks are no more exact than this. */
const TICK = milliseconds('15s');
/** A watch that ended is begun again after this long. */
const REWATCH = milliseconds('10s');

/** The bus as a process runs it. */
interface RunningBus extends Bus {
  consume(hop: HopName, consumer: Consumer): void;
  start(): void;
  close(): Promise<void>;
}

export interface Process {
  readonly world: World;
  readonly bus: RunningBus;
  readonly clock: Clock;
  readonly hops: Readonly<Record<HopName, (world: World, event: Event) => Promise<readonly Outgoing[]>>>;
  readonly watch: (cluster: Cluster, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Runs every hop in one process: consumes the bus, follows the clusters, and lets the clock tick. The answer ends it. */
export function runProcess({ world, bus, clock, hops, watch, log, metrics }: Process): () => Promise<void> {
  const ending = new AbortController();
  for (const hop of Object.keys(hops).filter((name): name is HopName => name in hops)) {
    bus.consume(hop, async (event) => {
      const end = metrics.handling(hop, event.event);
      try {
        return await hops[hop](world, event);
      } catch (error) {
        log.warn({ hop, event: event.event, because: String(error) }, 'a hop must run again');
        throw error;
      } finally {
        end();
      }
    });
  }
  bus.start();

  for (const cluster of world.clusters.values()) {
    const follow = () => {
      void watch(cluster, ending.signal)
        .catch((error: unknown) => log.error({ cluster: cluster.name, because: String(error) }, 'the watch ended'))
        .finally(() => {
          if (!ending.signal.aborted) clock.after(REWATCH, follow);
        });
    };
    follow();
  }

  const startedAt = clock.now();
  void bus.publish(firstLooks(world));
  let cancel = () => {};
  const tick = (since: Date) => {
    cancel = clock.after(TICK, () => {
      metrics.ticked();
      void bus.publish([{ fact: { event: 'ticked' satisfies EventName, since: since.toISOString() } }]);
      tick(clock.now());
    });
  };
  tick(startedAt);

  return async () => {
    ending.abort();
    cancel();
    await bus.close();
  };
}

/** After a start every mode looks once, for nothing tells of what happened while nobody watched. */
const firstLooks = (world: World): Outgoing[] =>
  [...world.known.values()].flatMap((cluster) => looksAt(world, cluster, 'Gleaner started'));
