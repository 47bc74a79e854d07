import { drills } from '../../handlers/drills.ts';
import { systemClock } from '../adapters/clock/system.ts';
import { consoleChat } from '../adapters/console/chat.ts';
import { inWords } from '../handler.ts';
import type { Proposal } from '../model.ts';
import { type Chat, TOLD } from '../ports/chat.ts';
import type { Log } from '../runtime/log.ts';
import { type Playground, startPlayground, YOU } from './playground.ts';

/** How many times faster than life: five incidents with their real windows in under a minute. */
const SPEED = 60;
/** After so many milliseconds of life the demo gives up. */
const LIMIT = 55_000;

interface Told {
  readonly mode: string;
  readonly outcome: string;
  readonly found: string;
  readonly applied: string;
  readonly verified: string;
}

/** Breaks a pretend cluster in every way, one after the other, and decides as a person would. Answers whether all were mended. */
export async function demo(print: (line: string) => void, log: Log): Promise<boolean> {
  const waiting = new Map<string, (proposal: Proposal) => void>();
  const began = systemClock.now().getTime();
  const playground = await startPlayground({ speed: SPEED, log, chats: [consoleChat(print), listener(waiting)] });
  print(`Two pretend clusters run ${SPEED} times faster than life. Windows and deadlines are the real ones.`);
  const rows: Told[] = [];
  try {
    const late = Promise.withResolvers<void>();
    const cancel = systemClock.after(LIMIT, late.resolve);
    await Promise.race([
      late.promise,
      Promise.all(
        (['harvester', 'rancher'] as const).map(async (flavour) => {
          for (const drill of drills.filter(({ on }) => on === flavour))
            rows.push(await mend(playground, drill, waiting, print));
        }),
      ),
    ]).finally(cancel);
  } finally {
    await playground.stop();
  }
  table(rows, print);
  const mended = rows.filter(({ outcome }) => outcome === 'fixed').length;
  print(`${mended} of ${drills.length} mended and verified in ${inWords(systemClock.now().getTime() - began)}`);
  return mended === drills.length;
}

/** Hands the first proposal of a mode, and later its end, to whoever waits for it. */
function listener(waiting: Map<string, (proposal: Proposal) => void>): Chat {
  const tell = (key: string, proposal: Proposal) => {
    waiting.get(key)?.(proposal);
    waiting.delete(key);
  };
  return {
    async show(proposal, { event }) {
      if (event === 'proposed') tell(`proposed ${proposal.found.mode}`, proposal);
      if (['fixed', 'failed', 'unknown', 'stale'].includes(event)) tell(`ended ${proposal.found.mode}`, proposal);
      return TOLD;
    },
    async answer(click, { ok, because }) {
      if (!ok) throw new Error(`${click.choice} was refused: ${because}`);
      return TOLD;
    },
    reply: async () => TOLD,
    announce: async () => TOLD,
  };
}

async function mend(
  { gleaner, clock, break: breakIt, reset, clusters }: Playground,
  drill: (typeof drills)[number],
  waiting: Map<string, (proposal: Proposal) => void>,
  print: (line: string) => void,
): Promise<Told> {
  const until = (what: string) => new Promise<Proposal>((resolve) => waiting.set(`${what} ${drill.mode}`, resolve));
  print(`\n${drill.title}`);
  const [proposed, brokenAt] = [until('proposed'), clock.now()];
  await breakIt(drill.mode);
  const proposal = await proposed;
  const ended = until('ended');
  await approve(gleaner, proposal);
  const end = await ended;
  const cluster = clusters.find(({ id }) => id === proposal.cluster);
  await (cluster ? cluster.reset() : reset());
  const at = (is: string) => Date.parse(end.timeline.find((stage) => stage.is === is)?.at ?? end.changedAt);
  return {
    mode: drill.mode,
    outcome: end.state,
    found: inWords(Date.parse(proposal.openedAt) - brokenAt.getTime()),
    applied: inWords(at('applied') - at('approved')),
    verified: inWords(at(end.state) - at('applied')),
  };
}

/** Decides through the same flow as a person. */
async function approve(gleaner: Playground['gleaner'], { id, revision, found }: Proposal): Promise<void> {
  const plan = found.offer.plans[0];
  if (!plan) throw new Error(`Nothing is offered for ${found.summary}: ${found.offer.refusal?.because ?? 'no plan'}`);
  const said = await gleaner.desk.click(YOU, {
    choice: 'approve',
    proposal: id,
    revision,
    plan: plan.id,
    reason: 'the demo',
  });
  if (!said.ok) throw new Error(`The approval was refused: ${said.because}`);
}

function table(rows: readonly Told[], print: (line: string) => void): void {
  const head: Told = {
    mode: 'failure mode',
    outcome: 'outcome',
    found: 'found after',
    applied: 'applied in',
    verified: 'verified in',
  };
  print('');
  for (const row of [head, ...rows]) {
    print(
      [row.mode.padEnd(34), row.outcome.padEnd(9), row.found.padEnd(14), row.applied.padEnd(14), row.verified].join(''),
    );
  }
}
