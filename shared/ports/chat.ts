import type { Click, Event, Fact, Proposal, Question } from '../model.ts';
import type { Answer } from './desk.ts';

/** What became of telling: nothing more to do, or to be tried again after so many milliseconds; and what is to be published. */
export interface Told {
  readonly after?: number;
  readonly facts?: readonly Fact[];
}

/** Nothing more is to be done. */
export const TOLD: Told = {};

/** What concerns more than one proposal: blindness, the emergency stop, a silence, a change of policy. */
export interface Notice {
  /** What brought it: the event that it tells of, or the one by which it is told anew. */
  readonly event: Event;
  /** The name of the event that it tells of. */
  readonly of: string;
  readonly cluster: string | undefined;
  readonly text: string;
}

/**
 * Where people read. Expected outages are values: `after` says when to try again, and nothing sleeps. A throw means
 * "run me again". Each may be called again for the same thing, and shows it once.
 */
export interface Chat {
  /** Draws the card of a proposal anew, as the record stands now; `event` is what happened to it. */
  show(proposal: Proposal, event: Event): Promise<Told>;
  /** Tells the clicker what became of the click; `see` is the proposal to read instead. */
  answer(click: Click, answer: Answer & { readonly see?: string | undefined }): Promise<Told>;
  /** Answers a question, to whoever may read. */
  reply(question: Question): Promise<Told>;
  announce(notice: Notice): Promise<Told>;
}
