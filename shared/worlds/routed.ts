import type { Hop, World } from '../flow/world.ts';
import type { Event, EventName, Outgoing } from '../model.ts';

/** A hop that takes whatever the bus brings: what it does not take is a mistake in the routing. */
export type AnyHop = (world: World, event: Event) => Promise<readonly Outgoing[]>;

/** Closes a hop over the events that its route names. */
export function routed<E extends EventName>(takes: readonly E[], hop: Hop<E>): AnyHop {
  const isTaken = (event: Event): event is Extract<Event, { event: E }> => takes.some((name) => name === event.event);
  return (world, event) => {
    if (!isTaken(event)) throw new Error(`This hop takes ${takes.join(', ')}, and was given ${event.event}`);
    return hop(world, event);
  };
}
