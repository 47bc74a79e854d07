import { pageChat } from '../../adapters/page/chat.ts';
import { slackChat } from '../../adapters/slack/chat.ts';
import { type Config, policyFor } from '../../config.ts';
import { notify } from '../../flow/notify.ts';
import type { ROUTES } from '../../flow/routes.ts';
import type { Hop, World } from '../../flow/world.ts';
import type { Proposal } from '../../model.ts';
import { desk, draw } from '../desk.ts';
import type { Base } from './base.ts';
import { configuration } from './configuration.ts';
import { slack } from './slack.ts';

/** The hop that tells people: Slack over the records, by the names and the policy of the delivery's world. */
export function telling(base: Base): Hop<(typeof ROUTES.notify)[number]> {
  const [workspace, current] = [slack(base), configuration(base)];
  return async (world, event) => {
    const [{ api, directory }, config] = await Promise.all([workspace(), current()]);
    const fallback = config.slack.channel ?? base.env.SLACK_CHANNEL;
    const clusterName = (id: string) => world.known.get(id)?.name ?? `cluster ${id}`;
    const chat = slackChat({
      ...{ api, directory, store: base.store, clock: base.clock, records: base.clock, url: base.env.SLACK_API_URL },
      clusterName,
      draw: (proposal, at) => draw(world, proposal, at),
      channelOf: (proposal) => channelIn(config, proposal, clusterName(proposal.cluster)) ?? fallback,
      newsChannel: () => fallback,
      board: boardOf(base, world),
      warn: (because) => base.log.warn({ because }, 'Slack'),
    });
    return notify(chat)(world, event);
  };
}

/** The channel that the policy names for the riskiest plan of a proposal. */
function channelIn(config: Config, { found }: Proposal, cluster: string): string | undefined {
  const risks = new Set(found.offer.plans.map(({ risk }) => risk));
  const risk = (['high', 'medium', 'low'] as const).find((one) => risks.has(one)) ?? 'low';
  return policyFor(config, { cluster, mode: found.mode, risk }).channel;
}

/** What there is to read of the records. Clicks do not come this way. */
const boardOf = ({ machine }: Base, world: World) =>
  desk({
    ...{ world, chat: pageChat(), wall: machine, configurationTrouble: () => undefined },
    bus: {
      publish: async () => {
        throw new Error('Nothing is decided where cards are drawn');
      },
    },
  });
