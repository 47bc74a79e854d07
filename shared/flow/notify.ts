import type { Event, Fact, Outgoing, Untold } from '../model.ts';
import type { Chat, Told } from '../ports/chat.ts';
import { inNotice } from './notice.ts';
import type { ROUTES } from './routes.ts';
import type { Hop, World } from './world.ts';

type Shown = (typeof ROUTES.notify)[number];
type UntoldNotice = Extract<Untold, { is: 'notice' }>;

/** Draws the card of a record anew after every change of it, and answers every click. What cannot be told now is told later. */
export const notify =
  (chat: Chat): Hop<Shown> =>
  async (world, event) => {
    switch (event.event) {
      case 'refused':
      case 'answered':
        return tell(chat, { is: 'answer', ok: event.event === 'answered', ...event });
      case 'waited':
        return (await isAnswered(world, event.click.id))
          ? []
          : tell(chat, { is: 'answer', ...BEHIND, click: event.click });
      case 'asked':
        return tell(chat, { is: 'reply', question: event.question });
      case 'untold':
        return event.what.is === 'notice' ? announced(chat, event, event.what) : tell(chat, event.what);
      case 'stopped':
      case 'resumed':
      case 'blinded':
      case 'sighted':
      case 'silenced':
      case 'unsilenced':
      case 'policy-changed':
      case 'unheard':
      case 'heard':
        return announced(chat, event, { is: 'notice', of: event.event, ...inNotice(event) });
      default:
        return shown(world, chat, event);
    }
  };

/** What is kept is not yet decided: the queue is long, or a hop of it has to be run again. */
const BEHIND = { ok: false, because: 'Gleaner is behind: your click is kept, and you are told what becomes of it' };

const isAnswered = async (world: World, click: string) =>
  (await world.store.get('receipt', click))?.item.answer !== undefined;

async function shown(world: World, chat: Chat, event: Extract<Event, { proposal: string }>): Promise<Outgoing[]> {
  const { proposal } = event;
  const row = await world.store.get('proposal', proposal);
  if (!row) return [];
  const accepted =
    event.event === 'decided'
      ? await tell(chat, { is: 'answer', ok: true, click: event.click, because: event.because })
      : [];
  return [...accepted, ...outgoing(await chat.show(row.item, event), { event: 'unsent', proposal })];
}

async function tell(chat: Chat, what: Exclude<Untold, UntoldNotice>): Promise<Outgoing[]> {
  const told = what.is === 'reply' ? await chat.reply(what.question) : await chat.answer(what.click, what);
  return outgoing(told, { event: 'untold', what });
}

async function announced(chat: Chat, event: Event, what: UntoldNotice): Promise<Outgoing[]> {
  const { of = event.event, cluster, text } = what;
  return outgoing(await chat.announce({ event, of, cluster, text }), { event: 'untold', what });
}

const outgoing = ({ after, facts = [] }: Told, again: Fact): Outgoing[] => [
  ...facts.map((fact) => ({ fact })),
  ...(after === undefined ? [] : [{ fact: again, after }]),
];
