import type { Lease, LeaseRead, LeaseRecord } from '../../ports/lease.ts';
import type { Log } from '../log.ts';
import { pauses } from './pauses.ts';
import { type Clocks, DURATION, momentOf, PACE, type Tenure, tenure } from './tenure.ts';

/** One span of leading. */
export interface Term {
  /** What the former holder noted last; undefined: there was none. */
  readonly note: string | undefined;
  /** When the former holder renewed last, as its clock said. */
  readonly formerAt: Date | undefined;
  /** Whether the former holder gave the Lease back in order: then nearly nothing went unseen. */
  readonly inOrder: boolean;
  /** Aborted when this span ends: nothing more may begin. */
  readonly over: AbortSignal;
  /** Milliseconds for which surely nobody else leads. */
  left(): number;
}

export interface LeadershipOptions {
  readonly lease: Lease;
  /** Unlike that of any other process, also of one that ran in the same pod before. */
  readonly me: string;
  readonly clocks: Clocks;
  readonly random: () => number;
  readonly log: Log;
  /** What is noted with each renewal; undefined: what stands there stays. */
  readonly note: () => string | undefined;
}

/** `apart`: the Lease could not be read lately, so that it neither leads nor could begin to. */
export type Standing = 'apart' | 'waiting' | 'leading';

export interface Leadership {
  standing(): Standing;
  /**
   * Waits for the Lease, leads for as long as it holds it, and waits again, until aborted; then gives the Lease back.
   * `lead` is called for each span, and nobody else leads before it has returned or its time is over.
   */
  run(lead: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Without having read the Lease for this long, nobody can tell that it would be taken over. */
const APART = 30_000;

/** What was seen last, and since when (steady) it has been so. */
interface Sighting {
  readonly key: string;
  readonly since: number;
}

export function leadership(options: LeadershipOptions): Leadership {
  const { lease, me, clocks, log } = options;
  const hold = tenure(clocks);
  const { pause } = pauses(clocks.steady);
  const now = () => clocks.steady.now().getTime();
  const paced = () => PACE * (0.8 + options.random() * 0.4);
  let sighting: Sighting | undefined;
  let lastRead = Number.NEGATIVE_INFINITY;
  let isLeading = false;

  /** Whether the Lease may be taken: given back, or unchanged for its whole duration by our own clock, which alone counts. */
  function isFree(read: Exclude<LeaseRead, { is: 'unreadable' }>): boolean {
    const key = read.is === 'absent' ? '' : `${read.record.uid} ${read.record.version}`;
    // The time of the answer, not of the request: the holder may have renewed in between.
    if (sighting?.key !== key) sighting = { key, since: now() };
    // Ours although we do not lead: the answer to our own write was lost.
    const isOpen = read.is === 'there' && (read.record.holder === '' || read.record.holder === me);
    // Absent counts as held: somebody may have deleted the Lease of who leads.
    return isOpen || now() - sighting.since >= DURATION;
  }

  async function take(former: LeaseRecord | undefined): Promise<LeaseRecord | undefined> {
    const sentAt = momentOf(clocks);
    const renewedAt = clocks.wall.now();
    const transitions = former ? former.transitions + 1 : 0;
    const wish = { holder: me, seconds: DURATION / 1000, renewedAt, acquiredAt: renewedAt, transitions };
    const written = await lease.write({ ...wish, note: undefined }, former);
    switch (written.is) {
      case 'written':
        hold.renewed(sentAt);
        return written.record;
      case 'beaten':
        return undefined;
      case 'unknown':
      case 'refused':
        log.warn({ because: written.because }, 'the Lease could not be taken');
        return undefined;
    }
  }

  async function wait(lead: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void> {
    const read = await lease.read();
    if (read.is === 'unreadable') {
      log.warn({ because: read.because }, 'the Lease cannot be read');
      return;
    }
    lastRead = now();
    if (signal.aborted || !isFree(read)) return;
    const former = read.is === 'there' ? read.record : undefined;
    const taken = await take(former);
    if (!taken) return;
    log.info({ former: former?.holder ?? 'nobody' }, 'leading');
    await reign(taken, former, lead, signal);
    sighting = undefined;
    log.info({}, 'leading no more');
  }

  async function reign(
    taken: LeaseRecord,
    former: LeaseRecord | undefined,
    lead: (term: Term) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    isLeading = true;
    const [note, inOrder] = [former?.note, former === undefined || former.holder === ''];
    const formerAt = timeIn(former?.renewedAt);
    const leading = lead({ note, formerAt, inOrder, over: ending.signal, left: hold.left });
    const renewing = renew(taken, leading, ending);
    try {
      await leading;
    } finally {
      end();
      signal.removeEventListener('abort', end);
      const last = await renewing;
      isLeading = false;
      if (last) await giveBack(last);
      hold.ended();
    }
  }

  /** Renews until the span is over and whoever leads has done. Answers the record that is still ours, if it is. */
  async function renew(
    taken: LeaseRecord,
    leading: Promise<void>,
    ending: AbortController,
  ): Promise<LeaseRecord | undefined> {
    let record: LeaseRecord | undefined = taken;
    let isDone = false;
    const settle = () => {
      isDone = true;
    };
    const done = leading.then(settle, settle);
    while (!isDone && record && hold.left() > 0) {
      await Promise.race([pause(Math.min(paced(), hold.left())), done]);
      if (!isDone) record = await renewOnce(record, hold);
    }
    if (!isDone) ending.abort();
    return record && hold.left() > 0 ? record : undefined;
  }

  /** The record as it is ours now; undefined: it is somebody else's. */
  async function renewOnce(record: LeaseRecord, span: Tenure): Promise<LeaseRecord | undefined> {
    const sentAt = momentOf(clocks);
    const { transitions } = record;
    const wish = { holder: me, seconds: DURATION / 1000, renewedAt: clocks.wall.now(), transitions };
    const written = await lease.write({ ...wish, acquiredAt: undefined, note: options.note() }, record);
    if (written.is === 'written') {
      span.renewed(sentAt);
      lastRead = now();
      return written.record;
    }
    if (written.is !== 'beaten') {
      log.warn({ because: written.because, left: span.left() }, 'the Lease could not be renewed');
      return record;
    }
    // Our own write whose answer was lost beats the next one too: what stands there tells.
    const read = await lease.read();
    if (read.is === 'unreadable') return record;
    if (read.is === 'there' && read.record.holder === me) return read.record;
    if (read.is === 'there') span.ended();
    return read.is === 'there' ? undefined : again(span);
  }

  /** Somebody has deleted the Lease: while our span lasts nobody else may have begun. */
  async function again(span: Tenure): Promise<LeaseRecord | undefined> {
    log.warn({}, 'somebody deleted the Lease');
    return span.left() > 0 ? take(undefined) : undefined;
  }

  /** Nothing more is sent by now: the next one need not wait. */
  async function giveBack({ version, uid, transitions }: LeaseRecord): Promise<void> {
    const wish = { holder: '', seconds: 1, renewedAt: clocks.wall.now(), acquiredAt: undefined, transitions };
    const written = await lease.write({ ...wish, note: options.note() }, { version, uid });
    if (written.is !== 'written') log.warn({ ...written }, 'the Lease could not be given back: it runs out by itself');
  }

  return {
    standing() {
      if (isLeading) return hold.left() > 0 ? 'leading' : 'apart';
      return now() - lastRead < APART ? 'waiting' : 'apart';
    },
    async run(lead, signal) {
      while (!signal.aborted) {
        await wait(lead, signal);
        if (!signal.aborted) await pause(paced(), signal);
      }
    },
  };
}

function timeIn(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
