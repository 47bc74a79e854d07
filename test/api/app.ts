import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { type PageChat, pageChat } from '../../shared/adapters/page/chat.ts';
import { notify } from '../../shared/flow/notify.ts';
import { type Access, access } from '../../shared/runtime/api-access.ts';
import { application } from '../../shared/runtime/http.ts';
import { desk } from '../../shared/worlds/desk.ts';
import { register } from '../../shared/worlds/register.ts';
import { type Painted, paintWorld } from '../simulator/paint.ts';

export interface AppBed {
  readonly app: ReturnType<typeof application>;
  readonly world: Painted;
  readonly access: Access;
  /** What was written down of who got in. */
  readonly audited: unknown[];
  /** Of tokens that were none. */
  readonly refused: string[];
  /** The open proposal. */
  readonly proposal: string;
  revision(): Promise<string>;
  /** From now on nobody decides: every click waits. */
  halt(): void;
}

/** Delivers everything, and tells the page of it, as the bus would. */
async function deliver(world: Painted, chat: PageChat) {
  const from = world.facts.length;
  await world.settle(0);
  for (const fact of world.facts.slice(from)) {
    if (fact.event === 'decided' || fact.event === 'refused' || fact.event === 'answered') {
      await notify(chat)(world.world, { ...fact, id: 'e', at: world.now().toISOString() });
    }
  }
}

/** The page and the API over a painted world with one open proposal. `after` is called where patience begins. */
export async function appBed({ after = (_ms: number, _then: () => void) => () => {} } = {}): Promise<AppBed> {
  const world = paintWorld();
  const proposal = await world.proposed();
  const [chat, known, audited, refused]: [PageChat, Access, unknown[], string[]] = [
    pageChat(),
    access(() => world.now()),
    [],
    [],
  ];
  let isHalted = false;
  const app = application({
    desk: desk({
      ...{ world: world.world, chat, wall: manualClock('2026-01-15T12:00:00Z') },
      configurationTrouble: () => 'gleaner.yaml is not in force',
      bus: {
        async publish(outgoing) {
          world.publish(...outgoing);
          if (!isHalted) queueMicrotask(() => void deliver(world, chat));
        },
      },
    }),
    ...{ register: register(world.world), access: known, after },
    ...{ metrics: async () => 'gleaner_up 1\n', unwell: () => undefined, inSlack: async () => undefined },
    linkTo: (token, { origin }) => `${origin}/join/${token}`,
    refused: (because) => void refused.push(because),
    audit: async (what) => void audited.push(what),
  });
  return {
    ...{ app, world, access: known, audited, refused, proposal },
    async revision() {
      return (await world.store.get('proposal', proposal))?.item.revision ?? '';
    },
    halt() {
      isHalted = true;
    },
  };
}
