import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { HopName } from '../flow/routes.ts';
import type { EventName } from '../model.ts';

/** What Gleaner tells of itself, in Prometheus' words. */
export interface Metrics {
  /** Begins the time of one delivery; the answer ends it. */
  handling(hop: HopName, event: EventName): () => void;
  ticked(): void;
  /** How many proposals are in each state now, of those that are not over; called when the metrics are read. */
  proposals(states: () => Promise<ReadonlyMap<string, number>>): void;
  /** 1 while the watch of a cluster does not see a kind. */
  blind(cluster: string, isBlind: boolean): void;
  /** Something came from Slack that was not taken. */
  refused(kind: string): void;
  text(): Promise<string>;
}

export function metrics(now: () => Date): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const handled = new Histogram({
    name: 'gleaner_delivery_seconds',
    help: 'Time to handle one delivery, by hop and event',
    labelNames: ['hop', 'event'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  const lastTick = new Gauge({
    name: 'gleaner_last_tick_seconds',
    help: 'When the clock last ticked, in Unix time',
    registers,
  });
  const blind = new Gauge({
    name: 'gleaner_watch_blind',
    help: '1 while a cluster is not seen completely',
    labelNames: ['cluster'],
    registers,
  });
  const ticks = new Counter({ name: 'gleaner_ticks_total', help: 'Ticks of the clock', registers });
  const refused = new Counter({
    name: 'gleaner_slack_refused_total',
    help: 'What came from Slack, or as if from it, and was not taken',
    labelNames: ['kind'],
    registers,
  });
  return {
    handling(hop, event) {
      const from = now().getTime();
      return () => handled.observe({ hop, event }, (now().getTime() - from) / 1000);
    },
    ticked() {
      ticks.inc();
      lastTick.set(now().getTime() / 1000);
    },
    proposals(states) {
      new Gauge({
        name: 'gleaner_proposals',
        help: 'Proposals that are not over, by state',
        labelNames: ['state'],
        registers,
        async collect() {
          this.reset();
          for (const [state, count] of await states()) this.set({ state }, count);
        },
      });
    },
    blind: (cluster, isBlind) => blind.set({ cluster }, isBlind ? 1 : 0),
    refused: (kind) => refused.inc({ kind }),
    text: () => registry.metrics(),
  };
}
