import type { Card } from '../card.ts';
import type { Choice, Click, Principal } from '../model.ts';

/** A cluster as the page's head shows it. */
export interface ClusterStatus {
  readonly id: string;
  readonly name: string;
  readonly flavour: string;
  readonly does: 'observe' | 'apply';
  /** What the watch does not see, in words; undefined: it sees everything. */
  readonly blind: string | undefined;
  /** Who stopped all runs; undefined: they may go on. */
  readonly stopped: Principal | undefined;
}

/** What a person asked for, as the page or a command sends it. */
export type Asked = Pick<Click, 'proposal' | 'cluster' | 'revision' | 'plan' | 'reason' | 'what' | 'lasts'> & {
  readonly choice: Choice;
};

/** The answer to a click: whether it took effect, and the sentence that the clicker reads. */
export interface Answer {
  readonly ok: boolean;
  readonly because: string;
}

/** The pretend cluster's controls, where there is one. */
export interface PlaygroundControls {
  readonly speed: number;
  readonly drills: readonly { readonly mode: string; readonly title: string; readonly broken: boolean }[];
  break(mode: string): Promise<void>;
  reset(): Promise<void>;
}

/** Everything that the page and the API serve, and the one way by which they decide. */
export interface Desk {
  now(): Date;
  clusters(): Promise<readonly ClusterStatus[]>;
  /** The current card of every incident: what waits for a decision first, then what runs, then what is over. */
  cards(): Promise<readonly Card[]>;
  /** Sends a click through the flow that every click takes, and waits for its answer. */
  click(who: Principal, asked: Asked): Promise<Answer>;
  /** Calls `listener` whenever something shown may have changed; the answer ends that. */
  onChange(listener: () => void): () => void;
  /** What is wrong with the configuration file, while an older one stays in force. */
  configurationTrouble(): string | undefined;
  readonly playground?: PlaygroundControls;
}
