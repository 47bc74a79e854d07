/** What a watcher is doing now. */
interface Doing {
  readonly leading: boolean;
  /** Facts that wait to be sent. */
  readonly waiting: number;
  /** Kinds that are not seen. */
  readonly blind: readonly string[];
}

/** What a watcher tells of itself, in Prometheus' words. */
export interface WatcherMetrics {
  /** Counts a request's facts by what came of it. */
  sent(what: 'sent' | 'failed', facts: number): void;
  /** Who is asked when the metrics are read. */
  observe(doing: () => Doing): void;
  text(): string;
}

/** Six numbers, written by hand (https://prometheus.io/docs/instrumenting/exposition_formats): a library weighs more than they do. */
export function watcherMetrics(now: () => Date): WatcherMetrics {
  const facts = { sent: 0, failed: 0 };
  let lastSent = 0;
  let asked: () => Doing = () => ({ leading: false, waiting: 0, blind: [] });
  return {
    sent(result, count) {
      facts[result] += count;
      if (result === 'sent') lastSent = now().getTime() / 1000;
    },
    observe(doing) {
      asked = doing;
    },
    text() {
      const { leading, waiting, blind } = asked();
      return [
        ...metric('facts_total', 'counter', 'Facts handed to the bus, by what came of it', [
          ['{result="sent"}', facts.sent],
          ['{result="failed"}', facts.failed],
        ]),
        ...metric('last_sent_seconds', 'gauge', 'When the bus last took something, in Unix time', [['', lastSent]]),
        ...metric('leading', 'gauge', '1 while this watcher leads', [['', leading ? 1 : 0]]),
        ...metric('waiting', 'gauge', 'Facts that wait to be sent', [['', waiting]]),
        ...metric('blind_kinds', 'gauge', 'Kinds that are not seen', [['', blind.length]]),
        '',
      ].join('\n');
    },
  };
}

function metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string[] {
  const full = `gleaner_watcher_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...values.map(([labels, value]) => `${full}${labels} ${value}`),
  ];
}
