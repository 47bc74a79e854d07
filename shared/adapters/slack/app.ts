import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import * as z from 'zod';
import { registerListeners } from './listeners.ts';
import type { Home } from './payloads.ts';
import type { InteractionParts } from './press.ts';
import { failureOf } from './refusals.ts';
import { silent } from './silent.ts';
import type { SlackApi } from './web-api.ts';

/** Slack shows the person an error after three seconds (docs.slack.dev/interactivity/handling-user-interaction). */
const DEADLINE = 2_700;

const NOT_UNDERSTOOD = 'Gleaner did not understand this, and nothing was done. /gleaner help says what it takes.';

/** Who we are in a workspace. */
export interface Identity extends Home {
  readonly botId?: string | undefined;
  readonly botUserId?: string | undefined;
}

const Auth = z.object({
  team_id: z.string(),
  enterprise_id: z.string().nullish(),
  bot_id: z.string().optional(),
  user_id: z.string().optional(),
});

/** Asks Slack once who we are: Bolt would ask it at each request. `because`: it could not be found out. */
export async function identify(
  api: SlackApi,
): Promise<
  { readonly is: 'known'; readonly identity: Identity } | { readonly is: 'unknown'; readonly because: string }
> {
  const called = await api.call('auth.test', {}, Auth);
  if (called.is !== 'ok') return { is: 'unknown', because: failureOf(called) };
  const { team_id: team, enterprise_id, bot_id: botId, user_id: botUserId } = called.value;
  return { is: 'known', identity: { team, enterprise: enterprise_id ?? undefined, botId, botUserId } };
}

/**
 * Bolt with our listeners behind a receiver of either transport. Whatever comes is acknowledged within three seconds, in
 * words where nobody understood it; Bolt writes no log, for it would hold bodies, and has no token.
 */
export class Interactions extends App {
  readonly #parts: InteractionParts;

  constructor(receiver: Receiver, parts: InteractionParts) {
    super({
      receiver,
      authorize: async () => ({}),
      // Nothing of ours is kept from one request to the next, and no event of our own comes in.
      ...{ convoStore: false, ignoreSelf: false, logger: silent },
    });
    this.#parts = parts;
    registerListeners(this, parts);
    this.error(async (error) => parts.warn(`an interaction was not handled: ${error.code}: ${error.message}`));
  }

  /** Never throws. */
  override async processEvent(event: ReceiverEvent): Promise<void> {
    const { clock, refused, warn } = this.#parts;
    let acknowledged: Promise<void> | undefined;
    const ack = (response?: unknown): Promise<void> => {
      acknowledged ??= event.ack(response);
      return acknowledged;
    };
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(DEADLINE, () => {
      warn(`an interaction took more than ${DEADLINE} ms`);
      ack().then(late.resolve, late.resolve);
    });
    try {
      await Promise.race([super.processEvent({ ...event, ack }), late.promise]);
    } catch (error) {
      // Bolt reads into bodies before it knows what they are.
      warn(`an interaction could not be read: ${error instanceof Error ? error.name : typeof error}`);
    } finally {
      cancel();
    }
    if (acknowledged) return;
    await refused({ kind: 'unknown', because: 'an interaction that no listener takes, or whose listener failed' });
    // Its connection may be gone by now.
    await ack(NOT_UNDERSTOOD).catch(() => warn('an interaction could not be acknowledged'));
  }
}
