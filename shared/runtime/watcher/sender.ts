import { milliseconds } from '../../handler.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../log.ts';
import { Closed } from './gate.ts';
import { span } from './moment.ts';
import type { Outbox } from './outbox.ts';
import { pauses } from './pauses.ts';
import { type Clocks, PACE } from './tenure.ts';

/** Between two requests, so that what comes meanwhile goes in one. */
const GATHER = milliseconds('1s');
const FIRST = milliseconds('1s');
const LONGEST = milliseconds('30s');
/** An outage that lasted longer is told: a card that came late has a reason. */
const WORTH_TELLING = milliseconds('60s');

export interface SenderOptions {
  readonly outbox: Outbox;
  readonly bus: Bus;
  readonly clocks: Clocks;
  readonly random: () => number;
  readonly log: Log;
  /** Counts what came of each request. */
  readonly sent: (what: 'sent' | 'failed', facts: number) => void;
  /** Tells of an outage that is over. */
  readonly tell: (because: string) => void;
}

/** What does not get out, since when. */
interface Trouble {
  readonly since: Date;
  readonly because: string;
}

export interface Sender {
  trouble(): Trouble | undefined;
  /** Since when the oldest fact is not known to have arrived. */
  unsentSince(): Date | undefined;
  /** Sends what the outbox holds, one request at a time, until aborted; then what is left, once. */
  run(signal: AbortSignal): Promise<void>;
}

/** While the bus does not take anything the outbox holds what is new: it gathers, and does not grow. */
export function sender({ outbox, bus, clocks, random, log, sent, tell }: SenderOptions): Sender {
  const { pause } = pauses(clocks.steady);
  let [failures, trouble, underWay]: [number, Trouble | undefined, Date | undefined] = [0, undefined, undefined];

  async function send(): Promise<number> {
    underWay = outbox.waitingSince();
    const facts = outbox.take();
    if (facts.length === 0) return 0;
    try {
      await bus.publish(facts.map((fact) => ({ fact })));
    } catch (error) {
      outbox.putBack(facts);
      return error instanceof Closed ? PACE : failed(error, facts.length);
    } finally {
      underWay = undefined;
    }
    sent('sent', facts.length);
    arrived();
    return GATHER;
  }

  function failed(error: unknown, facts: number): number {
    const because = error instanceof Error ? error.message : String(error);
    if (!trouble) {
      trouble = { since: clocks.wall.now(), because };
      outbox.changes();
    }
    trouble = { ...trouble, because };
    sent('failed', facts);
    log.warn(
      { because, waiting: outbox.size(), since: trouble.since.toISOString() },
      'what was seen could not be sent',
    );
    const grown = Math.min(FIRST * 2 ** failures, LONGEST);
    failures += 1;
    const asked = Number(Object(error).retryAfter ?? 0) * 1000;
    return Math.max(grown * (0.5 + random() / 2), Math.min(asked, 2 * LONGEST));
  }

  function arrived() {
    failures = 0;
    if (!trouble) return;
    const { since, because } = trouble;
    trouble = undefined;
    const now = clocks.wall.now();
    log.info({ since: since.toISOString() }, 'what is seen can be sent again');
    if (now.getTime() - since.getTime() < WORTH_TELLING) return;
    const changes = outbox.changes();
    tell(`nothing could be sent ${span(since, now)} (${because}): ${CHANGED(changes)}`);
  }

  return {
    trouble: () => trouble,
    unsentSince: () => underWay ?? outbox.waitingSince(),
    async run(signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      while (!signal.aborted) {
        await Promise.race([outbox.filled(), aborted]);
        if (!signal.aborted) await pause(await send(), signal);
      }
      await send();
    },
  };
}

const CHANGED = (changes: number) =>
  changes === 0
    ? 'nothing changed meanwhile that a failure mode asks for'
    : `${changes} change${changes === 1 ? '' : 's'} of objects came meanwhile, and every failure mode that they concern is told now`;
