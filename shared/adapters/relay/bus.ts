import type { Event } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Call } from './store.ts';

/** Publishes as the end of a delivery, by way of the relay. */
export const relayBus = (call: Call) => ({
  endOf: ({ hop, event: { id, at } }: { readonly hop: string; readonly event: Event }): Bus => ({
    async publish(outgoing) {
      if (outgoing.length > 0) await call({ do: 'publish', cause: { hop, id, at }, outgoing: [...outgoing] });
    },
  }),
});
