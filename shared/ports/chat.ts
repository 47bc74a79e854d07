import type { Click, Event, Proposal } from '../model.ts';

/** Where people read: each change of a record is shown in place, and each click that changed nothing is answered. */
export interface Chat {
  /** Draws the card of a proposal anew; `event` is what happened to it. Calling it twice shows the same. */
  show(proposal: Proposal, event: Event): Promise<void>;
  /** Tells the clicker why the click had no effect. */
  answer(click: Click, because: string): Promise<void>;
  /** Tells what concerns a cluster as a whole: blindness, the emergency stop. */
  announce(event: Event): Promise<void>;
}
