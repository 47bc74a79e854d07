import * as z from 'zod';
import { type Duration, milliseconds } from '../handler.ts';
import type { Event } from '../model.ts';
import type { Bus, Consumer } from '../ports/bus.ts';
import type { Log } from './log.ts';

/** A delivery that has failed so often is set aside with its reason. The queue's own maxReceiveCount must be higher: it is for what kills the function. */
export const ATTEMPTS = 50;
/** Below this much time left (milliseconds) no further delivery is begun: a function that is cut off repeats its whole batch. */
const RESERVE = 5_000;
/** How many deliveries of a batch are under way together: most of a hop's time is waiting for the network. */
const AT_ONCE = 5;

/** What a queue brings, as far as the runtime looks at it. */
interface Delivery {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  readonly read:
    | { readonly is: 'event'; readonly event: Event }
    | { readonly is: 'early'; readonly event: Event; readonly due: string }
    | { readonly is: 'poison'; readonly because: string };
}

/** A hop's queue. `setAside` and `hold` are followed by the end of the delivery, `postpone` by its failure. */
interface Inbox<D extends Delivery> {
  open(batch: unknown): readonly D[];
  setAside(delivery: D, because: string): Promise<void>;
  postpone(delivery: D): Promise<void>;
  hold(delivery: D): Promise<void>;
}

/** A bus that can publish as the end of a delivery, under ids that follow from it. */
interface EndingBus {
  endOf(cause: { readonly hop: string; readonly event: Event }): Bus;
}

/** What a function keeps from one invocation to the next: a hop closed over its world, and the bus. */
interface LambdaParts {
  readonly run: Consumer;
  readonly bus: EndingBus;
}

export interface LambdaHop<D extends Delivery> {
  readonly hop: string;
  /** Opens the world, at the first invocation; asked again where it threw. */
  readonly open: () => Promise<LambdaParts & { readonly inbox: Inbox<D> }>;
  readonly log: Log;
  readonly atOnce?: number;
}

/** What Lambda tells of an invocation, as far as it is read. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Which messages of a batch are to come again; Lambda ends the others (`ReportBatchItemFailures` must be on in the mapping). */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * A hop as a function behind a queue. What it returns is published before its delivery ends: a crash between the two
 * brings the delivery again, and the same ids with it. Throws, and so fails the whole batch, only where the world cannot
 * be opened or the batch is none.
 */
export function lambdaHop<D extends Delivery>({ hop, open, log, atOnce = AT_ONCE }: LambdaHop<D>) {
  const opened = once(open);
  return async (batch: unknown, context: LambdaContext): Promise<BatchResponse> => {
    const { run, bus, inbox } = await opened();
    const failed: string[] = [];

    async function handle(delivery: D, event: Event): Promise<boolean> {
      try {
        await bus.endOf({ hop, event }).publish(await run(event));
        return true;
      } catch (error) {
        const because = String(error);
        if (delivery.attempt >= ATTEMPTS)
          return aside(delivery, `it failed ${ATTEMPTS} times, at last with: ${because}`);
        log.warn({ ...about(delivery), event: event.event, id: event.id, because }, 'a hop must run again');
        await attempt(delivery, () => inbox.postpone(delivery));
        return false;
      }
    }

    async function aside(delivery: D, because: string): Promise<boolean> {
      log.error({ ...about(delivery), because }, 'a message was set aside');
      return attempt(delivery, () => inbox.setAside(delivery, because));
    }

    /** Whether it could be done; where not, the delivery comes again when its visibility timeout is over. */
    async function attempt(delivery: D, act: () => Promise<void>): Promise<boolean> {
      try {
        await act();
        return true;
      } catch (error) {
        log.error({ ...about(delivery), because: String(error) }, 'the queue did not do as told');
        return false;
      }
    }

    const about = ({ id, attempt: nth }: D) => ({ hop, message: id, attempt: nth, request: context.awsRequestId });

    function settle(delivery: D): Promise<boolean> {
      const { read } = delivery;
      switch (read.is) {
        case 'poison':
          return aside(delivery, read.because);
        case 'early':
          return attempt(delivery, () => inbox.hold(delivery));
        case 'event':
          return handle(delivery, read.event);
      }
    }

    await inTurns(inbox.open(batch), atOnce, async (delivery) => {
      const isInTime = context.getRemainingTimeInMillis() > RESERVE;
      if (isInTime && (await settle(delivery))) return;
      // Without it a delivery that was not begun would come again only when its visibility timeout is over.
      if (!isInTime) await attempt(delivery, () => inbox.postpone(delivery));
      failed.push(delivery.id);
    });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/** What EventBridge hands a function that a schedule invokes, as far as it is read. */
const Scheduled = z.object({ source: z.literal('aws.events'), id: z.string().min(1), time: z.iso.datetime() });

export interface LambdaTick {
  readonly open: () => Promise<LambdaParts>;
  /** The schedule's rate: a tick tells the time from the former one on. */
  readonly every: Duration;
  readonly log: Log;
}

/**
 * The clock's tick as a function behind a schedule. Throws where the sweep must run again: Lambda invokes it twice more
 * with the same tick. What a lost tick would have sent, a later one sends.
 */
export function lambdaTick({ open, every, log }: LambdaTick) {
  const opened = once(open);
  return async (input: unknown, context: LambdaContext): Promise<void> => {
    const scheduled = Scheduled.safeParse(input);
    if (!scheduled.success) {
      throw new Error('The sweep was invoked by something that is no schedule of EventBridge: check its event source');
    }
    const { id, time } = scheduled.data;
    const since = new Date(Date.parse(time) - milliseconds(every)).toISOString();
    const event: Event = { event: 'ticked', since, id, at: new Date(time).toISOString() };
    const { run, bus } = await opened();
    try {
      await bus.endOf({ hop: 'sweep', event }).publish(await run(event));
    } catch (error) {
      log.warn({ hop: 'sweep', id, request: context.awsRequestId, because: String(error) }, 'a hop must run again');
      throw error;
    }
  };
}

/** Keeps what was opened; forgets a failure, so that the next invocation tries anew. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= open().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}

/** Does `act` for each item, at most so many of them together, begun in their order. */
async function inTurns<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
