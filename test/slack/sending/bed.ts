import type { ManualClock } from '../../../shared/adapters/clock/manual.ts';
import { inProcessBus } from '../../../shared/adapters/inprocess/bus.ts';
import { slackChat } from '../../../shared/adapters/slack/chat.ts';
import type { SlackApi } from '../../../shared/adapters/slack/web-api.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../../shared/adapters/sqlite/store.ts';
import { notify } from '../../../shared/flow/notify.ts';
import { ROUTES } from '../../../shared/flow/routes.ts';
import type { World } from '../../../shared/flow/world.ts';
import type { Fact, Proposal } from '../../../shared/model.ts';
import type { Directory } from '../../../shared/ports/directory.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { routed } from '../../../shared/worlds/hops.ts';
import { draw, type Records, recordsIn } from './records.ts';

export const NOON = '2026-01-15T12:00:00.000Z';
export const OPS = 'C0OPS';
const YES = { is: 'yes' } as const;

/** Dies where a test says: before or after a write or a call. */
type Death = (where: string) => void;

export interface BedOptions {
  readonly api: SlackApi;
  readonly channelOf?: (proposal: Proposal) => string | undefined;
  readonly directory?: Directory;
  readonly url?: string;
  readonly die?: Death;
  /** Slack's clock, too. */
  readonly clock: ManualClock;
  readonly timeout?: number;
}

export interface Bed {
  readonly store: Store;
  readonly records: Records;
  readonly warnings: readonly string[];
  /** What the adapter had published. */
  readonly facts: readonly Fact[];
  now(): Date;
  at(): string;
  publish(...facts: readonly Fact[]): Promise<void>;
  /** Lets so many seconds pass, with everything that falls due in them, looking every `step` milliseconds. */
  pass(seconds: number, step?: number): Promise<void>;
  /** Deliveries to come: 0 means that nothing waits. */
  pending(): number;
  /** How many deliveries there were. */
  deliveries(): number;
}

/** The real notify hop on the durable bus and store, in memory, with a clock that only `pass` moves. */
export async function sendingBed({ clock, die = () => {}, ...options }: BedOptions): Promise<Bed> {
  const database = openDatabase(':memory:');
  const plain = sqliteStore(database);
  const api = mortalApi(options.api, die);
  const store = mortalStore(plain, die);
  const warnings: string[] = [];
  const facts: Fact[] = [];
  let deliveries = 0;
  const chat = slackChat({
    ...{ api, store, clock, records: clock, draw, clusterName: () => 'lab', newsChannel: () => OPS },
    channelOf: options.channelOf ?? (() => OPS),
    board: { clusters: async () => [], cards: async () => [] },
    directory: options.directory ?? directoryOf(),
    ...{ url: options.url, timeout: options.timeout },
    warn: (because) => warnings.push(because),
  });
  const bus = inProcessBus({ database, clock, routes: { notify: ROUTES.notify }, random: () => 0 });
  const hop = routed(ROUTES.notify, notify(chat));
  const world: World = {
    ...{ clock, store, modes: [], clusters: new Map(), known: new Map(), directory: directoryOf() },
    rules: { policy: unused, person: unused, names: unused, text: unused },
  };
  bus.consume('notify', async (event) => {
    deliveries++;
    const outgoing = await hop(world, event);
    die('before the delivery ends');
    facts.push(...outgoing.flatMap(({ fact }) => (fact.event === 'unheard' || fact.event === 'heard' ? [fact] : [])));
    return outgoing;
  });
  const count = database.sql.prepare('SELECT count(*) AS n FROM delivery');
  return {
    ...{ store: plain, records: await recordsIn(plain), warnings, facts },
    now: () => clock.now(),
    at: () => clock.now().toISOString(),
    publish: (...said) => bus.publish(said.map((fact) => ({ fact }))),
    async pass(seconds, step = STEP) {
      await bus.drain();
      for (let left = seconds * 1_000; left > 0; left -= step) {
        clock.advance(Math.min(step, left));
        await bus.drain();
      }
    },
    pending: () => Number(count.get()?.n),
    deliveries: () => deliveries,
  };
}

const STEP = 250;
const unused = () => {
  throw new Error('chat asks nothing of the policy');
};

function directoryOf(): Directory {
  const all: Directory = { isMember: async () => YES, belongs: async () => YES, fresh: () => all };
  return all;
}

const mortalStore = (store: Store, die: Death): Store => ({
  ...store,
  async put(table, item, version) {
    die(`before ${table}`);
    const put = await store.put(table, item, version);
    die(`after ${table}`);
    return put;
  },
});

const mortalApi = (api: SlackApi, die: Death): SlackApi => ({
  async call(method, args, answer) {
    die(`before ${method}`);
    const called = await api.call(method, args, answer);
    die(`after ${method}`);
    return called;
  },
});
