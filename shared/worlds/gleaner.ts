import { modes as everyMode } from '../../handlers/index.ts';
import { inProcessBus } from '../adapters/inprocess/bus.ts';
import { type PageChat, pageChat } from '../adapters/page/chat.ts';
import { localDirectory } from '../adapters/page/directory.ts';
import { processSeal } from '../adapters/seal/process.ts';
import { type Database, openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteStore } from '../adapters/sqlite/store.ts';
import { notify } from '../flow/notify.ts';
import { type HopName, ROUTES, sameLook } from '../flow/routes.ts';
import { watch } from '../flow/watch.ts';
import type { Rules, World } from '../flow/world.ts';
import type { Duration, Mode } from '../handler.ts';
import type { Event, Outgoing } from '../model.ts';
import type { Chat, Told } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Desk, PlaygroundControls } from '../ports/desk.ts';
import type { Receiver } from '../runtime/interact.ts';
import type { Log } from '../runtime/log.ts';
import { type Metrics, metrics } from '../runtime/metrics.ts';
import { runProcess } from '../runtime/process.ts';
import { desk, draw } from './desk.ts';
import { HOPS, routed } from './hops.ts';
import type { Inside, Slack } from './slack.ts';

export interface Parts {
  /** Which failure modes it knows; every one where it is not given. */
  readonly modes?: readonly Mode[];
  readonly clusters: readonly Cluster[];
  readonly rules: Rules;
  /** Where people also read and decide, and which says who they are; without it only local names are known. */
  readonly slack?: Slack | undefined;
  /** The clusters' time: in a playground it runs faster than life. */
  readonly clock: Clock;
  /** The viewer's time. */
  readonly wall: Clock;
  /** The state file, or `:memory:`. */
  readonly state: string;
  /** Where people read, beside the page. */
  readonly chats: readonly Chat[];
  readonly log: Log;
  readonly configurationTrouble: () => string | undefined;
  /** For how long what is over is kept. */
  readonly keep?: Duration;
  readonly playground?: PlaygroundControls;
}

/** A whole Gleaner in one process. */
export interface Gleaner {
  readonly world: World;
  readonly desk: Desk;
  readonly metrics: Metrics;
  /** What takes the requests of Slack, where it is to send some. */
  readonly slack: Receiver | undefined;
  /** What was set aside because it could not be handled. */
  quarantined(): number;
  stop(): Promise<void>;
}

/** Opens the state, wires every hop to the bus, and starts. */
export function startGleaner(parts: Parts): Gleaner {
  const { clock, wall, rules, modes = everyMode } = parts;
  const database: Database = openDatabase(parts.state);
  const store = sqliteStore(database, clock);
  const bus = inProcessBus({
    ...{ database, clock, routes: ROUTES, same: sameLook },
    trouble: (because) => parts.log.error({ because }, 'the bus is in trouble'),
  });
  const clusters = new Map(parts.clusters.map((cluster) => [cluster.id, cluster]));
  const world: World = {
    ...{ clock, store, modes, clusters, known: clusters },
    rules,
    directory: parts.slack?.directory ?? localDirectory,
    seal: processSeal,
    ...(parts.keep !== undefined && { keep: parts.keep }),
  };
  const chat = pageChat();
  const told = metrics(() => wall.now());
  told.proposals(async () => countStates(world));
  const shown = deskOf(parts, world, bus, chat);
  const inside: Inside = {
    ...{ store, bus, desk: shown },
    draw: (proposal, at) => draw(world, proposal, at),
    clusterName: (id) => clusters.get(id)?.name ?? id,
    refused: told.refused,
  };
  const chats = [chat, ...parts.chats, ...(parts.slack ? [parts.slack.chat(inside)] : [])];
  const stop = runProcess({
    world,
    bus,
    clock,
    hops: { ...HOPS, notify: routed(ROUTES.notify, notify(everywhere(chats))) } satisfies Record<
      HopName,
      (world: World, event: Event) => Promise<readonly Outgoing[]>
    >,
    watch: (cluster, signal) => watch(world, { bus, clock }, cluster, signal),
    log: parts.log,
    metrics: told,
  });
  const listening = parts.slack?.listen(inside);
  return {
    world,
    desk: shown,
    slack: listening?.receiver,
    metrics: told,
    quarantined: () => bus.quarantined().length,
    async stop() {
      await listening?.stop();
      await stop();
      database.close();
    },
  };
}

const deskOf = (parts: Parts, world: World, bus: Parameters<typeof desk>[0]['bus'], chat: PageChat): Desk =>
  desk({
    ...{ world, bus, chat, wall: parts.wall, configurationTrouble: parts.configurationTrouble },
    ...(parts.playground && { playground: parts.playground }),
  });

/** Every chat is told; what one of them cannot tell now comes again, which the others take as the same picture. */
function everywhere(chats: readonly Chat[]): Chat {
  const all = async (tell: (chat: Chat) => Promise<Told>): Promise<Told> => {
    const told = await Promise.all(chats.map(tell));
    const waits = told.flatMap(({ after }) => (after === undefined ? [] : [after]));
    return { facts: told.flatMap(({ facts = [] }) => facts), ...(waits.length > 0 && { after: Math.min(...waits) }) };
  };
  return {
    show: (proposal, event) => all((chat) => chat.show(proposal, event)),
    answer: (click, answer) => all((chat) => chat.answer(click, answer)),
    reply: (question) => all((chat) => chat.reply(question)),
    announce: (notice) => all((chat) => chat.announce(notice)),
  };
}

async function countStates(world: World): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { item } of await world.store.current('proposal'))
    counts.set(item.state, (counts.get(item.state) ?? 0) + 1);
  return counts;
}
