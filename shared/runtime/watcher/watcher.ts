import { type Mode, milliseconds } from '../../handler.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Lease } from '../../ports/lease.ts';
import type { Log } from '../log.ts';
import { type Account, account, cursorIn } from './cursor.ts';
import type { Gate } from './gate.ts';
import { handover } from './handover.ts';
import { leadership, type Standing, type Term } from './leadership.ts';
import { counted } from './moment.ts';
import { type Outbox, outbox } from './outbox.ts';
import { type Sender, sender } from './sender.ts';
import { EVERYTHING, sights } from './sights.ts';
import { type Clocks, DURATION } from './tenure.ts';
import type { WatcherMetrics } from './watcher-metrics.ts';

/** How often a watcher tells that it is alive. */
const BEAT = milliseconds('5m');
/** A leader that has not renewed for so long says so, while it still may. */
const LAST_WORDS = DURATION / 2;
/** An outage of the bus that is shorter says nothing about the watcher's health. */
const UNWELL = milliseconds('60s');

/** The cluster that is followed, once it has answered. */
type Followed = Pick<Cluster, 'id' | 'name' | 'flavour'>;

export interface WatcherOptions {
  readonly cluster: Followed;
  readonly modes: readonly Mode[];
  readonly version: string;
  readonly lease: Lease;
  readonly me: string;
  readonly clocks: Clocks;
  readonly random: () => number;
  /** Sends through the gate alone. */
  readonly bus: Bus;
  readonly gate: Gate;
  /** Follows the cluster and publishes what it sees, until aborted. */
  readonly watch: (bus: Bus, seen: Account, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly metrics: WatcherMetrics;
}

/** What is led with, from taking the Lease to giving it back. */
interface Reign {
  readonly seen: Account;
  readonly box: Outbox;
  readonly sending: Sender;
}

export interface Watcher {
  /** Why it is not well; undefined: it is. */
  unwell(): string | undefined;
  /** Stands by and leads until aborted; then sends what is left, and gives the Lease back. */
  run(signal: AbortSignal): Promise<void>;
}

/** The watcher of one cluster: one of several leads, and tells what changes. */
export function watcher(options: WatcherOptions): Watcher {
  const { cluster, clocks, log, metrics, gate } = options;
  let reign: Reign | undefined;
  const leading = leadership({ ...options, note: () => reign?.seen.note(reign.sending.unsentSince()) });

  async function lead(term: Term): Promise<void> {
    const cursor = cursorIn(term.note);
    const [seen, box] = [account(clocks.wall, cursor), outbox(clocks.wall)];
    const tell = (event: 'blinded' | 'sighted', because: string) =>
      void box.publish([{ fact: { event, cluster: cluster.id, kind: EVERYTHING, because } }]);
    const sending = sender({ ...options, outbox: box, sent: metrics.sent, tell: (why) => tell('sighted', why) });
    reign = { seen, box, sending };
    gate.open(term.left);
    const reports = sights(box, seen, clocks);
    const stops = [
      beats(options, box),
      handover({ ...term, cluster: cluster.id, cursor, account: seen, bus: box, clocks }),
      lastWords(term, clocks, tell),
      () => reports.stop(),
    ];
    firstLooks(options, box);
    try {
      await Promise.all([sending.run(term.over), follow(options, reports, seen, term.over)]);
    } finally {
      for (const stop of stops) stop();
      gate.open(undefined);
    }
  }

  return {
    unwell: () => whyUnwell(leading.standing(), reign, clocks),
    async run(signal) {
      metrics.observe(() => ({
        leading: leading.standing() === 'leading',
        waiting: reign?.box.size() ?? 0,
        blind: reign?.seen.blind() ?? [],
      }));
      await leading.run(
        (term) => lead(term).catch((error: unknown) => log.error({ because: String(error) }, 'leading failed')),
        signal,
      );
    },
  };
}

/** A watch that breaks off by itself ends the span: another watcher may do better, and begins with everything. */
async function follow({ watch }: WatcherOptions, bus: Bus, seen: Account, signal: AbortSignal): Promise<void> {
  await watch(bus, seen, signal);
  if (!signal.aborted) throw new Error('the watch ended by itself');
}

/** Every mode looks once, for nothing tells of what happened, and went away again, while nobody watched. */
function firstLooks({ cluster, modes }: WatcherOptions, bus: Bus): void {
  const because = 'a watcher began to lead';
  const own = modes.filter(({ on }) => on === cluster.flavour);
  void bus.publish(
    own.map(({ id }) => ({ fact: { event: 'observed', cluster: cluster.id, mode: id, because, objects: [] } })),
  );
}

function beats({ cluster: { id, name, flavour }, version, clocks }: WatcherOptions, bus: Bus): () => void {
  let cancel = () => {};
  const beat = () => {
    void bus.publish([{ fact: { event: 'beat', cluster: id, name, flavour, version } }]);
    cancel = clocks.steady.after(BEAT, beat);
  };
  beat();
  return () => cancel();
}

/** Where no API server answers, nobody can take over: who led until now says so while nobody else may. */
function lastWords(term: Term, { steady }: Clocks, tell: (event: 'blinded' | 'sighted', because: string) => void) {
  let isTold = false;
  let cancel = () => {};
  const look = () => {
    const isLate = term.left() < DURATION - LAST_WORDS;
    if (isLate && !isTold && !term.over.aborted)
      tell('blinded', 'the API server does not answer the watcher: another one takes over, or nobody sees anything');
    else if (!isLate && isTold) tell('sighted', 'the API server answers the watcher again');
    isTold = isLate;
    cancel = steady.after(1_000, look);
  };
  cancel = steady.after(1_000, look);
  return () => cancel();
}

function whyUnwell(standing: Standing, reign: Reign | undefined, { wall }: Clocks): string | undefined {
  switch (standing) {
    case 'apart':
      return 'it neither leads nor stands by: the Lease cannot be read or renewed';
    case 'waiting':
      return undefined;
    case 'leading':
      return reign && leadingBadly(reign, wall.now());
  }
}

function leadingBadly({ seen, sending }: Reign, now: Date): string | undefined {
  const blind = seen.blind().filter((kind) => kind !== EVERYTHING);
  if (blind.length > 0) return `it leads and does not see ${counted(blind.length, 'kind')}: ${blind.join(', ')}`;
  const trouble = sending.trouble();
  if (!trouble || now.getTime() - trouble.since.getTime() < UNWELL) return undefined;
  return `it leads and cannot send since ${trouble.since.toISOString()}: ${trouble.because}`;
}
