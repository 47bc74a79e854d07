import { type Chat, TOLD } from '../../ports/chat.ts';
import type { Answer } from '../../ports/desk.ts';

/** Tells open pages that something changed, and hands each click its answer. */
export interface PageChat extends Chat {
  onChange(listener: () => void): () => void;
  /** Resolves with the answer of the click of that id. */
  answerTo(click: string): Promise<Answer>;
  /** What the watch of a cluster does not see, in words. */
  blindness(cluster: string): string | undefined;
  /** Why nothing gets through to another chat, in words. */
  silentChats(): string | undefined;
  /** Ends the waiting for an answer that has not come. */
  forget(click: string): void;
}

export function pageChat(): PageChat {
  const listeners = new Set<() => void>();
  const waiting = new Map<string, (answer: Answer) => void>();
  const unheard = new Map<string, string>();
  const blind = new Map<string, Map<string, string>>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const settle = (click: string, answer: Answer) => {
    waiting.get(click)?.(answer);
    waiting.delete(click);
  };
  return {
    async show() {
      changed();
      return TOLD;
    },
    async answer(click, { ok, because }) {
      settle(click.id, { ok, because });
      changed();
      return TOLD;
    },
    reply: async () => TOLD,
    async announce({ event }) {
      if (event.event === 'blinded') {
        const kinds = blind.get(event.cluster) ?? new Map<string, string>();
        blind.set(event.cluster, kinds.set(event.kind, event.because));
      }
      if (event.event === 'sighted') blind.get(event.cluster)?.delete(event.kind);
      if (event.event === 'unheard') unheard.set(event.channel, event.because);
      if (event.event === 'heard') unheard.delete(event.channel);
      changed();
      return TOLD;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    answerTo: (click) => new Promise((resolve) => waiting.set(click, resolve)),
    blindness: (cluster) => [...(blind.get(cluster)?.values() ?? [])].join('; ') || undefined,
    silentChats: () =>
      [...unheard.entries()].map(([channel, because]) => `${channel}: ${because}`).join('; ') || undefined,
    forget: (click) => waiting.delete(click),
  };
}
