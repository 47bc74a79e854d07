import { milliseconds } from '../handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { BatchResponse, LambdaContext } from './lambda.ts';
import type { Log } from './log.ts';
import { pauses } from './watcher/pauses.ts';

/** How long one look into the queue waits for something to come: as long as SQS does, so that an idle one costs little. */
export const LONG_POLL = milliseconds('20s');
/** A delivery is hidden for so long from when it was received or last kept. */
export const HIDDEN = milliseconds('60s');
/** While a hop runs its delivery is kept this often: two tries may fail before another one gets it. */
const KEEP = HIDDEN / 4;
/** A run ends its delivery at each wait; what takes longer than this hangs. */
const LONGEST = milliseconds('10m');
/** After a failure of the queue, waits double from the first to the longest. */
const FIRST_WAIT = milliseconds('1s');
const LONGEST_WAIT = milliseconds('60s');

/** One message, in the shape in which Lambda hands it to a function. */
export interface Letter {
  readonly messageId: string;
  readonly receiptHandle: string;
}

/** A queue, pulled from by long polls: nothing comes in by itself. Each act throws where it was not carried out. */
export interface Mailbox {
  /** Waits for messages, at most `ms`; none came: an empty list. An abort ends the waiting. */
  receive(ms: number, signal: AbortSignal): Promise<readonly Letter[]>;
  /** Hides the deliveries for so long from now on. */
  keep(letters: readonly Letter[], ms: number): Promise<void>;
  /** Ends the deliveries. */
  end(letters: readonly Letter[]): Promise<void>;
}

export interface PollerOptions {
  readonly mailbox: Mailbox;
  /** A hop behind a queue, as `lambdaHop` makes it. */
  readonly handle: (batch: unknown, context: LambdaContext) => Promise<BatchResponse>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Poller {
  /** When the queue last answered, and why it does not now. */
  standing(): { readonly heardAt: Date | undefined; readonly because: string | undefined };
  /** Pulls until aborted; what is under way then is finished first. */
  run(signal: AbortSignal): Promise<void>;
}

/** Does what Lambda does between a queue and a function, in a process: one batch at a time, nothing held in memory between. */
export function poller({ mailbox, handle, clock, log }: PollerOptions): Poller {
  const { pause } = pauses(clock);
  let heardAt: Date | undefined;
  let because: string | undefined;
  let wait = FIRST_WAIT;

  async function turn(signal: AbortSignal): Promise<void> {
    try {
      const letters = await mailbox.receive(LONG_POLL, signal);
      [heardAt, because, wait] = [clock.now(), undefined, FIRST_WAIT];
      if (letters.length > 0) await work(letters);
    } catch (error) {
      if (signal.aborted) return;
      because = String(error);
      log.warn({ because }, 'the queue of this cluster cannot be read for now');
      await pause(wait, signal);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    }
  }

  async function work(letters: readonly Letter[]): Promise<void> {
    const from = clock.now().getTime();
    const stop = keeping(letters);
    const failed = new Set<string>();
    try {
      const context: LambdaContext = {
        awsRequestId: letters[0]?.messageId ?? '',
        getRemainingTimeInMillis: () => LONGEST - (clock.now().getTime() - from),
      };
      const { batchItemFailures } = await handle({ Records: letters }, context);
      for (const { itemIdentifier } of batchItemFailures) failed.add(itemIdentifier);
    } finally {
      stop();
    }
    const over = letters.filter(({ messageId }) => !failed.has(messageId));
    // What is not ended comes again: each hop answers a repeated event from what it finds stored.
    if (over.length > 0) await mailbox.end(over);
  }

  /** Keeps deliveries hidden while they are worked on. One that was lost is taken again elsewhere, which hops allow for. */
  function keeping(letters: readonly Letter[]): () => void {
    const from = clock.now().getTime();
    let cancel = () => {};
    const next = () => {
      cancel = clock.after(KEEP, () => {
        if (clock.now().getTime() - from >= LONGEST) return;
        mailbox
          .keep(letters, HIDDEN)
          .catch((error: unknown) => log.warn({ because: String(error) }, 'a delivery may come again'));
        next();
      });
    };
    next();
    return () => cancel();
  }

  return {
    standing: () => ({ heardAt, because }),
    async run(signal) {
      while (!signal.aborted) await turn(signal);
    },
  };
}
