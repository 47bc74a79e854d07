import { onTestFinished } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { type SlackDouble, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { type Bed, NOON, sendingBed } from './bed.ts';

/** How long the client waits in these tests for an answer that does not come, in life's milliseconds. */
const TIMEOUT = 150;

/** The whole way to Slack: the unmodified client over HTTP to the double, which limits as Slack does, by the bed's clock. */
export async function wireBed(): Promise<Bed & { slack: SlackDouble; advance(ms: number): void }> {
  const clock = manualClock(NOON);
  const slack = await startSlack({ clock });
  onTestFinished(() => slack.stop());
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl, timeout: TIMEOUT });
  const directory = slackDirectory({ api, clock, team: TEAM });
  const bed = await sendingBed({ slack: () => api, clock, directory, url: slack.apiUrl, timeout: TIMEOUT });
  return { ...bed, slack, advance: clock.advance };
}
