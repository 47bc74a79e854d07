import * as z from 'zod';
import { type Chat, TOLD } from '../../../shared/ports/chat.ts';
import { startOn, YOU } from './gleaner-on-bed.ts';
import { shiftedClock } from './shifted-clock.ts';

/** What this process is started with, as JSON in its first argument. */
export const Told = z.object({ kubeconfig: z.string(), state: z.string(), ahead: z.number() });

/** What it is told while it runs. */
export const Order = z.union([
  z.object({ advance: z.number() }),
  z.object({ approve: z.object({ proposal: z.string(), revision: z.string(), plan: z.string() }) }),
]);

/** A whole Gleaner in a process of its own, so that it can be killed. It tells its parent what is drawn anew. */
async function main(): Promise<void> {
  const { kubeconfig, state, ahead } = Told.parse(JSON.parse(process.argv[2] ?? '{}'));
  const clock = shiftedClock();
  clock.advance(ahead);
  const parent: Chat = {
    async show(proposal, { event }) {
      process.send?.({ event, proposal });
      return TOLD;
    },
    answer: async () => TOLD,
    reply: async () => TOLD,
    announce: async () => TOLD,
  };
  const warn = (because: string) => console.error(because);
  const gleaner = await startOn({ kubeconfig, clock, state, chats: [parent], warn });
  process.on('message', (message) => {
    const order = Order.parse(message);
    if ('advance' in order) clock.advance(order.advance);
    else void gleaner.desk.click(YOU, { choice: 'approve', ...order.approve });
  });
  process.send?.({ event: 'started' });
}

if (import.meta.main) await main();
