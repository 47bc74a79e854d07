import { systemClock } from '../adapters/clock/system.ts';
import { type Checkup, diagnoseSlack, type Finding } from '../adapters/slack/doctor.ts';
import { type Config, policyFor } from '../config.ts';
import type { Principal } from '../model.ts';
import { settings } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;
const RISKS = ['low', 'medium', 'high'] as const;

/** Looks at everything that the environment and gleaner.yaml say of Slack. Throws with every problem of the file. */
export const checkSlack = (options: { config?: string }, env: Env): Promise<readonly Finding[]> =>
  diagnoseSlack(checkupOf(settings(options, env).config, env));

/** What is to be looked at. */
export function checkupOf(config: Config, env: Env): Checkup {
  const tiers = tiersOf(config);
  const channels = [config.slack.channel ?? env.SLACK_CHANNEL, ...tiers.map(({ channel }) => channel)];
  const approvers: Principal[] = tiers.flatMap((tier) => tier.approvers);
  return {
    botToken: env.SLACK_BOT_TOKEN,
    appToken: env.SLACK_APP_TOKEN,
    signingSecret: env.SLACK_SIGNING_SECRET,
    channels: [...new Set(channels.flatMap((channel) => (channel ? [channel] : [])))],
    approvers: [...new Set(approvers)],
    clock: systemClock,
    url: env.SLACK_API_URL,
  };
}

/** Every tier that can hold for a plan: by itself, and under each override. */
function tiersOf(config: Config) {
  const { overrides } = config.policy;
  const each = [[], ...overrides.map((one) => [{ ...one, clusters: undefined, modes: undefined }])];
  return each.flatMap((laid) =>
    RISKS.map((risk) =>
      policyFor({ ...config, policy: { ...config.policy, overrides: laid } }, { cluster: '', mode: '', risk }),
    ),
  );
}
