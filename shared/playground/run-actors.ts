import type { Actor, Hands } from '../drill.ts';
import type { Clock } from '../ports/clock.ts';
import type { Controller } from './actors/controller.ts';
import { floorOf } from './actors/controller.ts';
import type { ApiServer } from './api/api-server.ts';

/** Somebody who acts about every second. */
export interface Turn {
  readonly name: string;
  act(): Promise<void>;
}

/** A running round of actors. */
export interface Rounds {
  /** One round now, after the one that may be under way. Whether it changed anything is seen in the store. */
  once(): Promise<void>;
  /** Nobody acts until the answer is called; resolves once the round that may be under way has ended. */
  pause(): Promise<() => void>;
  stop(): Promise<void>;
}

const EVERY = 1000;

/** The turn of a controller: skipped while nothing that it looks at has changed. */
export function controllerTurn(api: ApiServer, clock: Clock, controller: Controller): Turn {
  const floor = floorOf(api, () => clock.now());
  let seen = -1;
  return {
    name: controller.name,
    async act() {
      const newest = Math.max(...controller.reads.map((key) => api.store.changedAt(key)));
      if (newest <= seen && !controller.timed) return;
      // What it writes itself is looked at again: it rests once a round of its own changed nothing.
      seen = api.store.revision();
      await controller.act(floor);
    },
  };
}

export const actorTurn = (actor: Actor, hands: Hands): Turn => ({ name: actor.name, act: () => actor.act(hands) });

/**
 * Lets everybody act once in each second of the cluster's clock. A turn that throws is told to `trouble`, and comes
 * again in the next round like all others.
 */
export function runActors(
  clock: Clock,
  turns: readonly Turn[],
  trouble: (name: string, error: unknown) => void,
): Rounds {
  let last: Promise<void> = Promise.resolve();
  let cancel = () => {};
  let isOver = false;
  let paused = 0;

  async function round(): Promise<void> {
    for (const { name, act } of turns) {
      try {
        await act();
      } catch (error) {
        trouble(name, error);
      }
    }
  }
  const once = () => {
    last = last.then(round);
    return last;
  };
  const wait = () => {
    cancel = clock.after(EVERY, async () => {
      if (paused === 0) await once();
      if (!isOver) wait();
    });
  };
  wait();

  return {
    once,
    async pause() {
      paused++;
      await last;
      return () => void paused--;
    },
    async stop() {
      isOver = true;
      cancel();
      await last;
    },
  };
}
