import { onTestFinished } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { type SlackDouble, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { type Bed, type BedOptions, NOON, sendingBed } from './bed.ts';

/** In life's milliseconds. A busy machine must not make an answer late that comes. */
const TIMEOUT = 10_000;
/** For a test in which Slack does not answer. */
export const BRIEFLY = 600;

export type WireBed = Bed & { readonly slack: SlackDouble };

/** The whole way to Slack: the unmodified client over HTTP to the double, which limits as Slack does, by the bed's clock. */
export async function wireBed(
  options: Pick<BedOptions, 'channelOf' | 'directory' | 'timeout' | 'url' | 'die'> = {},
): Promise<WireBed> {
  const clock = manualClock(NOON);
  const timeout = options.timeout ?? TIMEOUT;
  const slack = await startSlack({ clock });
  onTestFinished(() => slack.stop());
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl, timeout });
  const directory = slackDirectory({ api, clock, team: TEAM });
  return { ...(await sendingBed({ directory, url: slack.apiUrl, ...options, api, clock, timeout })), slack };
}
