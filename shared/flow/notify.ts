import type { Event } from '../model.ts';
import type { Chat } from '../ports/chat.ts';
import type { Hop } from './world.ts';

type Shown = Extract<Event, { proposal: string }>['event'];

/** Draws the card of a record anew after every change of it, and answers clicks that changed nothing. */
export const notify =
  (chat: Chat): Hop<Shown | 'refused' | 'stopped' | 'resumed' | 'blinded' | 'sighted'> =>
  async (world, event) => {
    switch (event.event) {
      case 'refused':
        await chat.answer(event.click, event.because);
        return [];
      case 'stopped':
      case 'resumed':
      case 'blinded':
      case 'sighted':
        await chat.announce(event);
        return [];
      default: {
        const row = await world.store.get('proposal', event.proposal);
        if (row) await chat.show(row.item, event);
        return [];
      }
    }
  };
