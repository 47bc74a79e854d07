import * as z from 'zod';
import type { Principal } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import { slackDirectory } from './directory.ts';
import { failureOf } from './refusals.ts';
import { type SlackApi, slackApi } from './web-api.ts';

/** One thing that was looked at. `bad` names what to fix; `unsure` could not be looked at, and why. */
export interface Finding {
  readonly is: 'good' | 'bad' | 'unsure';
  readonly what: string;
  readonly because: string;
}

export interface Checkup {
  /** SLACK_BOT_TOKEN, SLACK_APP_TOKEN and SLACK_SIGNING_SECRET as they are set. */
  readonly botToken: string | undefined;
  readonly appToken: string | undefined;
  readonly signingSecret: string | undefined;
  /** Every channel that gleaner.yaml or SLACK_CHANNEL names. */
  readonly channels: readonly string[];
  /** Every approver that the policy names; those of other systems are left out. */
  readonly approvers: readonly Principal[];
  readonly clock: Pick<Clock, 'now'>;
  readonly url?: string | undefined;
  readonly timeout?: number;
}

/** The scopes of infra/slack/manifest.yaml that every installation needs, and what for. */
const SCOPES: Readonly<Record<string, string>> = {
  'chat:write': 'posts the cards',
  commands: 'takes /gleaner',
  'users:read': 'tells members from guests, bots and strangers',
};
const GROUP_SCOPE = 'usergroups:read';

/** Looks at everything that Slack needs to be set up with, once, and posts nothing. Never throws; no finding holds a secret. */
export async function diagnoseSlack(checkup: Checkup): Promise<readonly Finding[]> {
  const { botToken, url, timeout } = checkup;
  const transport = await transportFindings(checkup);
  const wrong = tokenFault('SLACK_BOT_TOKEN', botToken, 'xoxb-');
  if (wrong !== undefined || botToken === undefined) return [bad('bot token', wrong ?? 'it is not set'), ...transport];
  const api = slackApi({ token: botToken, url, ...(timeout !== undefined && { timeout }) });
  const auth = await api.call('auth.test', {}, Auth);
  if (auth.is !== 'ok') return [state(auth.is === 'refused', 'bot token', failureOf(auth)), ...transport];
  const { team, team_id, user, enterprise_id } = auth.value;
  const approvers = [...new Set(checkup.approvers)];
  const directory = slackDirectory({ api, clock: checkup.clock, team: team_id, enterprise: enterprise_id });
  const groups = approvers.filter((who) => who.startsWith('slack-group:'));
  return [
    good('bot token', `it is ${user ?? 'the app'} in ${team ?? team_id} (${team_id})`),
    ...scopeFindings(auth.scopes, groups.length > 0),
    ...transport,
    ...(await channelFindings(api, checkup.channels)),
    ...(
      await Promise.all(
        approvers
          .filter((who) => who.startsWith('slack:'))
          .map(async (who) => ({ who, says: await directory.isMember(who) })),
      )
    ).map(({ who, says }) =>
      says.is === 'yes'
        ? good(who, 'may approve')
        : state(says.is === 'no', who, `${says.because}: name somebody else in gleaner.yaml`),
    ),
    ...(await Promise.all(groups.map((group) => groupFinding(api, group)))),
  ];
}

const Auth = z.object({
  team: z.string().optional(),
  team_id: z.string(),
  user: z.string().optional(),
  enterprise_id: z.string().optional(),
});

const good = (what: string, because: string): Finding => ({ is: 'good', what, because });
const bad = (what: string, because: string): Finding => ({ is: 'bad', what, because });
/** What was refused is wrong; what could not be asked is not known. */
const state = (isKnown: boolean, what: string, because: string): Finding => ({
  is: isKnown ? 'bad' : 'unsure',
  what,
  because,
});

/** What is wrong with a token by its looks. */
function tokenFault(name: string, token: string | undefined, begins: string): string | undefined {
  if (token === undefined || token === '') return `${name} is not set: docs/slack.md says where to find it`;
  if (token.startsWith(begins)) return undefined;
  const kind = /^(xoxb|xoxp|xapp|xoxe)-/.exec(token)?.[1];
  return `${name} must begin with ${begins}${kind === undefined ? '' : `, and this one is of the kind ${kind}-: were two swapped?`}`;
}

function scopeFindings(scopes: readonly string[], needsGroups: boolean): Finding[] {
  const needed = { ...SCOPES, ...(needsGroups && { [GROUP_SCOPE]: 'reads who is in the groups of the policy' }) };
  const missing = Object.entries(needed).filter(([scope]) => !scopes.includes(scope));
  if (missing.length === 0) return [good('scopes', Object.keys(needed).join(', '))];
  return missing.map(([scope, reason]) =>
    bad(`scope ${scope}`, `it ${reason}: add it under OAuth & Permissions and install the app again`),
  );
}

async function transportFindings({ appToken, signingSecret, url, timeout }: Checkup): Promise<Finding[]> {
  if (appToken !== undefined && appToken !== '') {
    const wrong = tokenFault('SLACK_APP_TOKEN', appToken, 'xapp-');
    if (wrong !== undefined) return [bad('app token', wrong)];
    const api = slackApi({ token: appToken, url, ...(timeout !== undefined && { timeout }) });
    const opened = await api.call('apps.connections.open', {}, z.object({ url: z.string() }));
    if (opened.is === 'ok') return [good('app token', 'Socket Mode takes it: no public address is needed')];
    const because = `${opened.because}; make one under Basic Information, App-Level Tokens, with connections:write`;
    return [state(opened.is === 'refused', 'app token', because)];
  }
  if (signingSecret === undefined || signingSecret === '')
    return [
      bad(
        'transport',
        'set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET where Slack can reach Gleaner by HTTPS',
      ),
    ];
  return /^[0-9a-f]{32}$/.test(signingSecret)
    ? [good('signing secret', 'it looks like one; that it is the right one shows with the first click')]
    : [bad('signing secret', 'it has 32 characters from 0 to 9 and a to f: copy it from Basic Information')];
}

const Channel = z.object({
  channel: z.object({
    name: z.string().optional(),
    is_member: z.boolean().optional(),
    is_archived: z.boolean().optional(),
  }),
});

async function channelFindings(api: SlackApi, channels: readonly string[]): Promise<Finding[]> {
  if (channels.length === 0)
    return [bad('channel', 'none is named: set SLACK_CHANNEL, or slack.channel in gleaner.yaml')];
  const unique = [...new Set(channels)];
  return Promise.all(unique.map((id) => channelFinding(api, id)));
}

async function channelFinding(api: SlackApi, id: string): Promise<Finding> {
  const called = await api.call('conversations.info', { channel: id }, Channel);
  const what = `channel ${id}`;
  if (called.is === 'refused' && called.code === 'missing_scope')
    return {
      is: 'unsure',
      what,
      because: `it can be looked at with the scope ${called.needed ?? 'channels:read'} only`,
    };
  if (called.is !== 'ok') return state(called.is === 'refused', what, failureOf(called));
  const { name = id, is_member, is_archived } = called.value.channel;
  if (is_archived) return bad(what, `#${name} is archived: unarchive it, or name another one in gleaner.yaml`);
  return is_member
    ? good(what, `the app is in #${name}`)
    : bad(what, `the app is not in #${name}: type /invite @Gleaner there`);
}

async function groupFinding(api: SlackApi, group: Principal): Promise<Finding> {
  const usergroup = group.slice('slack-group:'.length);
  const called = await api.call('usergroups.users.list', { usergroup }, z.object({ users: z.array(z.string()) }));
  if (called.is !== 'ok') return state(called.is === 'refused', group, failureOf(called));
  const { length } = called.value.users;
  return length > 0 ? good(group, `${length} may approve`) : bad(group, 'nobody is in it: so nobody may approve by it');
}
