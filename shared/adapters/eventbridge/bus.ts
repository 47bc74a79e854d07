import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { lineOf } from '../../audit.ts';
import type { Event, EventName, Outgoing } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Refused, sendAll } from '../sqs/batches.ts';
import type { Delayed, Delays } from '../sqs/delays.ts';
import { type Entry, entryOf, sizeOf } from './entry.ts';
import { type Cause, freshId, idsAfter } from './identity.ts';
import { trimmed } from './trim.ts';

/** What EventBridge has always taken, an entry and a request. Newer accounts may take more: it is a setting. */
const BUDGET = 256 * 1024;
/** Room for what EventBridge adds around an event before it puts it on a queue. */
const ENVELOPE = 1024;
/** Of an entry's own errors those that pass: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html */
const PASSING = new Set(['InternalFailure', 'InternalException', 'ThrottlingException']);

export interface EventBridgeBusOptions {
  readonly client: Pick<EventBridgeClient, 'send'>;
  /** The event bus' name or ARN. */
  readonly bus: string;
  readonly clock: Clock;
  /** Which hop takes which events: what is for later goes to the hops' queues directly. */
  readonly routes: Readonly<Record<string, readonly EventName[]>>;
  readonly delays: Delays;
  /** Bytes that an entry may have, and all entries of a request together. */
  readonly budget?: number;
  /** Writes each event into the audit log before it goes out: one that is published again is written again, with its id. */
  readonly audit?: (line: { at: string; kind: 'event'; text: string }) => Promise<void>;
  /**
   * Where an event's cluster is reached; undefined: it is about none, or nobody needs to know. It is stamped into the
   * event's detail, as `cluster` and `reach`, for rules to match.
   */
  readonly homeOf?: (
    event: Event,
  ) => Promise<{ readonly cluster: string; readonly reach: 'direct' | 'edge' } | undefined>;
  /** The hops that run at the edge of a cluster that is reached so: its events go to that cluster's queue directly. */
  readonly atEdge?: readonly string[];
  readonly random?: () => number;
}

/** A bus on EventBridge, its delays on SQS. It publishes; what consumes is behind the queues. */
export interface EventBridgeBus extends Bus {
  /** The same bus as the end of a delivery: what it publishes has the same ids when the delivery is taken again. */
  endOf(cause: Cause): Bus;
}

/** An event that was not published, and why. */
interface Unpublished {
  readonly event: Event;
  readonly because: string;
}

/**
 * Publishes on EventBridge. `publish` throws, which means "run me again", where any event was not taken; the others of
 * the same call are published all the same, and come again under the same ids where the call ends a delivery.
 */
export function eventBridgeBus(options: EventBridgeBusOptions): EventBridgeBus {
  const { client, bus, clock, routes, delays, audit, budget = BUDGET, random = Math.random } = options;
  const { homeOf = async () => undefined, atEdge = [] } = options;
  const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));
  const fits = (event: Event) => sizeOf(entryOf(event, bus)) + ENVELOPE <= budget;

  async function put(events: readonly Event[]): Promise<Unpublished[]> {
    const entries = new Map(events.map((event) => [entryOf(event, bus), event]));
    const refused = await sendAll([...entries.keys()], { send, sizeOf, largest: budget, pause, random });
    return refused.flatMap(({ item, ...why }) => {
      const event = entries.get(item);
      return event ? [{ event, because: `EventBridge ${said(why)}` }] : [];
    });
  }

  async function send(batch: readonly Entry[]) {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [...batch] }));
    return batch.map((_each, index) => {
      const answer = Entries[index];
      if (answer?.EventId !== undefined) return undefined;
      const code = answer?.ErrorCode ?? 'no answer';
      return { code, because: answer?.ErrorMessage ?? '', again: !answer || PASSING.has(code) };
    });
  }

  async function hold(delayed: readonly Delayed[]): Promise<Unpublished[]> {
    const refused = await delays.hold(delayed);
    return refused.map(({ item, ...why }) => ({ event: item.event, because: `the queue of ${item.hop} ${said(why)}` }));
  }

  /** Which hop is to take the event later. Nobody may: then there is nothing to hold back. */
  const delayed = (event: Event, after: number): Delayed[] => {
    const due = new Date(Date.parse(event.at) + after).toISOString();
    return Object.entries(routes).flatMap(([hop, takes]) => (takes.includes(event.event) ? [{ hop, event, due }] : []));
  };

  /** Of these the ones that go past EventBridge: a bus takes no rule for each of ten thousand clusters (its quota is 300). */
  const toEdge = (event: Event): Delayed[] =>
    Object(event).reach === 'edge' ? delayed(event, 0).filter(({ hop }) => atEdge.includes(hop)) : [];

  async function publish(outgoing: readonly Outgoing[], ids: readonly string[]): Promise<void> {
    const now = clock.now();
    const at = now.toISOString();
    const [ready, later, tooLarge]: [Event[], Delayed[], Unpublished[]] = [[], [], []];
    for (const [index, { fact, after = 0 }] of outgoing.entries()) {
      const bare: Event = { ...fact, id: ids[index] ?? freshId(now), at };
      const whole: Event = { ...bare, ...(await homeOf(bare)) };
      const event = trimmed(whole, fits);
      if (!event) tooLarge.push({ event: whole, because: `it has more than the ${budget} bytes that the bus takes` });
      else if (after > 0) later.push(...delayed(event, after));
      else {
        ready.push(event);
        later.push(...toEdge(event));
      }
    }
    for (const event of new Set([...ready, ...later.map((one) => one.event)]))
      await audit?.({ at, kind: 'event', text: lineOf(event) });
    const unpublished = [...tooLarge, ...(await Promise.all([put(ready), hold(later)])).flat()];
    if (unpublished.length > 0) throw new Error(sentence(unpublished, outgoing.length));
  }

  return {
    publish: (outgoing) => publish(outgoing, []),
    endOf: (cause) => ({
      publish: (outgoing) =>
        publish(
          outgoing,
          idsAfter(
            cause,
            outgoing.map(({ fact }) => fact),
          ),
        ),
    }),
  };
}

const said = ({ code, because, again }: Omit<Refused<unknown>, 'item'>) =>
  again
    ? `did not take it for now (${code}: ${because})`
    : `refuses it (${code}: ${because}): check the function's rights and the name of the target`;

function sentence(unpublished: readonly Unpublished[], of: number): string {
  const [first] = unpublished;
  const which = unpublished.map(({ event }) => `${event.event} ${event.id}`).join(', ');
  return `${unpublished.length} of ${of} events were not published (${which}): ${first?.because}`;
}
