import type { Event, Outgoing } from '../model.ts';

/** Publishes facts. Durable once it returns; each is delivered at least once to every hop that takes it, in no order. */
export interface Bus {
  publish(outgoing: readonly Outgoing[]): Promise<void>;
}

/** Takes one delivery. A throw means "again later"; what it returns is published in the same durable act that ends the delivery. */
export type Consumer = (event: Event) => Promise<readonly Outgoing[]>;
