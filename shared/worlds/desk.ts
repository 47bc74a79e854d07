import { randomUUID } from 'node:crypto';
import type { PageChat } from '../adapters/page/chat.ts';
import { type Card, cardOf } from '../card.ts';
import { policyId } from '../flow/permit.ts';
import type { World } from '../flow/world.ts';
import { milliseconds, nameOf } from '../handler.ts';
import { type Click, isRunning, isUndecided, type Proposal } from '../model.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Answer, Desk, PlaygroundControls } from '../ports/desk.ts';
import { recentProposals } from './recent.ts';

/** How long a click waits for its answer before it is told that it is queued, in real time. */
const PATIENCE = milliseconds('10s');
/** How many closed cards the page shows. */
const CLOSED = 25;

export interface DeskParts {
  readonly world: World;
  readonly bus: Bus;
  readonly chat: PageChat;
  /** The viewer's time: patience is theirs, however fast the pretend cluster's clock runs. */
  readonly wall: Clock;
  readonly configurationTrouble: () => string | undefined;
  readonly playground?: PlaygroundControls;
}

/** What the page shows and how it decides, over the records of one world. */
export function desk({ world, bus, chat, wall, configurationTrouble, playground }: DeskParts): Desk {
  return {
    now: () => world.clock.now(),
    async clusters() {
      return Promise.all(
        [...world.known.values()].map(async ({ id, name, flavour, does }) => {
          const row = await world.store.get('switch', id);
          const stopped = row?.item.stopped ? row.item.who : undefined;
          return { id, name, flavour, does, stopped, blind: chat.blindness(id) };
        }),
      );
    },
    cards: () => cards(world),
    async click(who, asked) {
      const click: Click = { ...asked, id: randomUUID(), who };
      const answer = waitFor(chat, wall, click);
      await bus.publish([{ fact: { event: 'clicked', click } }]);
      return answer;
    },
    onChange: chat.onChange,
    configurationTrouble,
    ...(playground && { playground }),
  };
}

function waitFor(chat: PageChat, wall: Clock, click: Click): Promise<Answer> {
  const late = Promise.withResolvers<Answer>();
  const cancel = wall.after(PATIENCE, () =>
    late.resolve({ ok: false, because: 'Gleaner is behind: your click is kept, and answered on the card' }),
  );
  return Promise.race([chat.answerTo(click.id), late.promise]).finally(() => {
    cancel();
    chat.forget(click.id);
  });
}

async function cards(world: World): Promise<Card[]> {
  const proposals = await recentProposals(world.store, world.clock.now());
  const newest = (a: Proposal, b: Proposal) => (a.changedAt < b.changedAt ? 1 : -1);
  const waiting = proposals.filter(({ state }) => isUndecided(state)).sort(newest);
  const running = proposals.filter(({ state }) => isRunning(state)).sort(newest);
  const closed = proposals.filter(({ state }) => !isUndecided(state) && !isRunning(state)).sort(newest);
  return [...waiting, ...running, ...closed.slice(0, CLOSED)].map((proposal) => draw(world, proposal));
}

/** A record as people read it, by the names and the policy of a world. */
export function draw(world: World, proposal: Proposal, now = world.clock.now()): Card {
  const { found, cluster: id } = proposal;
  const mode = world.modes.find((one) => one.id === found.mode);
  const cluster = world.known.get(id);
  return cardOf(proposal, {
    clusterName: cluster?.name ?? `cluster ${id}`,
    modeTitle: mode?.title ?? nameOf(found.subject),
    cause: mode?.causes[found.cause],
    observeOnly: cluster?.does !== 'apply',
    deciders(plan) {
      const policy = world.rules.policy({ cluster: id, mode: found.mode, risk: plan.risk });
      return { ...policy, id: policyId(policy) };
    },
    now,
  });
}
