import type { Fact, Lane } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Row, Store } from '../../ports/store.ts';
import { healed, outage, owedTo, toldBy, unheard } from './outage.ts';
import type { Failed } from './web-api.ts';

/** Slack takes one message a second and channel (docs.slack.dev/apis/web-api/rate-limits). */
const PACE = 1_000;
/** `chat.update` is of tier 3, 50 a minute (docs.slack.dev/reference/methods/chat.update). */
const UPDATE_PACE = 1_200;
/** A channel that is free for so long goes to whoever comes. */
const IDLE = 2_000;
/** When nobody has come for so long, those that wait have another way to come. */
const DESERTED = 120_000;
/** A turn that comes at once would only be missed again. */
const SHORTEST = 50;
const ATTEMPTS = 8;

/** Who wants to send into a channel. `event` is the delivery by which it comes, the same when that comes again. */
export interface Sender {
  readonly channel: string;
  readonly event: string;
  /** The incident whose card it is about; absent for news, which no card waits for. */
  readonly incident?: string;
  /** It goes before those that may wait. */
  readonly isUrgent?: boolean;
  readonly does?: 'post' | 'update';
}

/** Its turn comes in so many milliseconds. */
interface Later {
  readonly is: 'later';
  readonly after: number;
  readonly facts: readonly Fact[];
}
/** It may send now, one message. `backlog`: the incidents that wait behind it. */
export interface Yours {
  readonly is: 'yours';
  readonly backlog: readonly string[];
  /** When those who wait were told of last. */
  readonly digestAt: string | undefined;
}

/** The pacing and the health of channels, one durable item each, changed by compare-and-set. */
export interface Lanes {
  /** Takes a turn where the channel is free, or a place among those that wait for one. */
  take(sender: Sender): Promise<Yours | Later>;
  /** Takes a place among those that wait, though the channel may be free. */
  queue(sender: Sender): Promise<Later>;
  /** A message got through. Gives what is to be published. */
  worked(sender: Sender): Promise<readonly Fact[]>;
  /** Nothing got through: when to try again, and what is to be published. */
  failed(sender: Sender, failed: Failed): Promise<Later>;
  /** What this delivery has written and may not have published. */
  owed(sender: Sender): Promise<readonly Fact[]>;
  /** The incident waits for nothing any more. Gives what is owed. */
  leave(sender: Sender): Promise<readonly Fact[]>;
  /** Notes that those who wait are being told of, or (undefined) that this went wrong. */
  digested(channel: string, at: string | undefined): Promise<void>;
}

export interface LaneParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the card of an incident cannot wait. */
  readonly isUrgent: (incident: string) => Promise<boolean>;
}

const fresh = (id: string): Lane => ({
  ...{ schema: 1, id, nextAt: new Date(0).toISOString(), isUnheard: false, waiting: [] },
});

export function lanes({ store, clock, isUrgent }: LaneParts): Lanes {
  const read = async (channel: string): Promise<Row<Lane>> =>
    (await store.get('lane', channel)) ?? { item: fresh(channel), version: 0 };

  /** Changes a lane until nobody else has changed it meanwhile; undefined: there was nothing to change, or no end to it. */
  async function change(channel: string, next: (lane: Lane) => Lane | undefined): Promise<Lane | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = await read(channel);
      const item = next(row.item);
      if (!item) return undefined;
      if ((await store.put('lane', item, row.version)).ok) return item;
    }
    return undefined;
  }

  /** When the turn comes of one who waits. A lane that could not be changed is as others have changed it. */
  async function later(changed: Lane | undefined, { channel, event, incident }: Sender, now: number): Promise<Later> {
    const lane = changed ?? (await read(channel)).item;
    return { is: 'later', after: waitOf(lane, incident, now), facts: owedTo(lane, event) };
  }

  const owed = async ({ channel, event }: Sender) => owedTo((await read(channel)).item, event);

  async function queue(sender: Sender): Promise<Later> {
    const { channel, event, incident } = sender;
    const now = clock.now().getTime();
    const { waiting } = (await read(channel)).item;
    const place = sender.isUrgent ? await boundary(waiting, isUrgent) : Number.POSITIVE_INFINITY;
    const queued = await change(channel, (lane) => {
      const told = unheard(lane, now, event);
      if (incident === undefined || lane.waiting.includes(incident)) return told;
      return { ...(told ?? lane), waiting: lane.waiting.toSpliced(place, 0, incident) };
    });
    return later(queued, sender, now);
  }

  return {
    queue,
    async take(sender) {
      const { channel, does } = sender;
      const now = clock.now().getTime();
      const taken = await change(channel, (lane) => {
        if (Date.parse(lane.nextAt) > now || !isServed(lane, sender, now)) return undefined;
        const nextAt = new Date(now + (does === 'update' ? UPDATE_PACE : PACE)).toISOString();
        return { ...lane, nextAt, waiting: waitingAfter(lane, sender, now) };
      });
      return taken ? { is: 'yours', backlog: taken.waiting, digestAt: taken.digestAt } : queue(sender);
    },
    async worked({ channel, event }) {
      const lane = await change(channel, (before) => healed(before, event));
      return lane ? owedTo(lane, event) : [];
    },
    async failed(sender, failed) {
      const { channel, event, incident } = sender;
      const now = clock.now().getTime();
      const broken = await change(channel, (before) => {
        const lane = outage(before, now, event, failed);
        const waits = incident === undefined || lane.waiting.includes(incident);
        return waits ? lane : { ...lane, waiting: [incident, ...lane.waiting] };
      });
      return later(broken, sender, now);
    },
    owed,
    async leave(sender) {
      const { channel, incident } = sender;
      await change(channel, (lane) => {
        if (incident === undefined || !lane.waiting.includes(incident)) return undefined;
        return { ...lane, waiting: lane.waiting.filter((one) => one !== incident) };
      });
      return owed(sender);
    },
    async digested(channel, at) {
      await change(channel, ({ digestAt, ...lane }) => ({ ...lane, ...(at !== undefined && { digestAt: at }) }));
    },
  };
}

/** Nobody overtakes those that stand before, unless they let a free channel go by. News and who cannot wait do. */
function isServed(lane: Lane, { incident, isUrgent = false }: Sender, now: number): boolean {
  if (incident === undefined || lane.waiting.length === 0 || now - Date.parse(lane.nextAt) > IDLE) return true;
  return lane.waiting[0] === incident || (isUrgent && !lane.waiting.includes(incident));
}

/** Who waits once a turn is taken. One whose turn it was and who let it go by may never come: it goes to the end. */
function waitingAfter(lane: Lane, { incident }: Sender, now: number): string[] {
  if (isDeserted(lane, now)) return [];
  const [first, ...others] = lane.waiting;
  const isLate = first !== undefined && first !== incident && now - Date.parse(lane.nextAt) > IDLE;
  return (isLate ? [...others, first] : lane.waiting).filter((one) => one !== incident);
}

const isDeserted = ({ nextAt, waiting }: Lane, now: number) =>
  now - Date.parse(nextAt) > DESERTED + waiting.length * PACE;

function waitOf(lane: Lane, incident: string | undefined, now: number): number {
  const index = incident === undefined ? 0 : Math.max(0, lane.waiting.indexOf(incident));
  const after = Math.max(0, Date.parse(lane.nextAt) - now) + index * PACE;
  return Math.max(SHORTEST, index === 0 ? Math.min(after, toldBy(lane) - now) : after);
}

/** Where those that cannot wait end: they stand first, so half of the list is left out with each look. */
async function boundary(waiting: readonly string[], isUrgent: (incident: string) => Promise<boolean>): Promise<number> {
  let [from, to] = [0, waiting.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const incident = waiting[middle];
    if (incident !== undefined && (await isUrgent(incident))) from = middle + 1;
    else to = middle;
  }
  return from;
}
