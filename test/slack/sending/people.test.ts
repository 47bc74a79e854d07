import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { type Checkup, diagnoseSlack } from '../../../shared/adapters/slack/doctor.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { ADA, CHANNEL, GROUP, type SlackDouble, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { NOON } from './bed.ts';

/** In life's milliseconds: a busy machine answers in time, and a Slack that hangs is waited for so long. */
const TIMEOUT = 1_000;

async function start() {
  const clock = manualClock(NOON);
  const slack = await startSlack({ clock });
  onTestFinished(() => slack.stop());
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl, timeout: TIMEOUT });
  return { clock, slack, directory: slackDirectory({ api, clock, team: TEAM }) };
}

describe('Slack is asked who may decide, and refuses', () => {
  it.each<[string, (slack: SlackDouble) => unknown, string, RegExp | undefined]>([
    ['nobody of ours', () => {}, ADA, undefined],
    ['who was deactivated', (slack) => Object.assign(slack.user(ADA), { deleted: true }), ADA, /deactivated/],
    ['a guest', (slack) => slack.add.user({ id: 'U0G', is_restricted: true }), 'U0G', /guest/],
    ['a guest of one channel', (slack) => slack.add.user({ id: 'U0G', is_ultra_restricted: true }), 'U0G', /guest/],
    ['the bot itself', () => {}, 'U0GLEANERBOT', /bot/],
    ['a stranger who shares a channel', strangerIn, 'U0X', /another company|another workspace/],
    ['who is not there', () => {}, 'U0NOBODY', /no such person/],
  ])('%s', async (_who, prepare, id, because) => {
    const { slack, directory } = await start();
    prepare(slack);

    const says = await directory.isMember(`slack:${id}`, { team: TEAM, channel: CHANNEL });

    if (because === undefined) expect(says).toEqual({ is: 'yes' });
    else expect(says).toEqual({ is: 'no', because: expect.stringMatching(because) });
  });

  it('who was taken out of the group five seconds ago, when it is asked anew', async () => {
    const { clock, slack, directory } = await start();
    const [ada, group] = [`slack:${ADA}`, `slack-group:${GROUP}`];
    expect(await directory.belongs(ada, group)).toEqual({ is: 'yes' });
    slack.group(GROUP).members.delete(ADA);

    clock.advance(5_000);
    expect(await directory.fresh().belongs(ada, group)).toMatchObject({ is: 'no' });
    clock.advance(55_000);
    expect(await directory.belongs(ada, group)).toMatchObject({ is: 'no' });
  });

  it.each<[string, (slack: SlackDouble) => unknown, object]>([
    ['a group that was disabled', (slack) => Object.assign(slack.group(GROUP), { enabled: false }), { is: 'no' }],
    [
      'without a scope',
      (slack) => slack.token(slack.botToken).scopes.delete('usergroups:read'),
      { is: 'unreadable', because: expect.stringMatching(/usergroups:read.*add the scope/) },
    ],
    ['while Slack hangs', (slack) => slack.faults.add({ kind: 'hang' }), { is: 'unreadable' }],
    ['while it limits', (slack) => slack.faults.add({ kind: 'ratelimited', seconds: 60 }), { is: 'unreadable' }],
    [
      'once its token is revoked',
      (slack) => Object.assign(slack.token(slack.botToken), { state: 'token_revoked' }),
      { is: 'unreadable' },
    ],
  ])('%s', async (_when, prepare, says) => {
    const { slack, directory } = await start();
    prepare(slack);

    expect(await directory.belongs(`slack:${ADA}`, `slack-group:${GROUP}`)).toMatchObject(says);
  });
});

function strangerIn(slack: SlackDouble) {
  slack.add.team({ id: 'T0OTHER' });
  slack.add.user({ id: 'U0X', team: 'T0OTHER', is_stranger: true });
  slack.channel(CHANNEL).members.add('U0X');
  slack.channel(CHANNEL).sharedWith.add('T0OTHER');
}

describe('The doctor', () => {
  async function diagnosed(prepare: (slack: SlackDouble, checkup: Checkup) => unknown = () => {}) {
    const { clock, slack } = await start();
    const checkup: Checkup = {
      ...{
        botToken: slack.botToken,
        appToken: slack.appToken,
        signingSecret: undefined,
        url: slack.apiUrl,
        timeout: TIMEOUT,
        clock,
      },
      ...{ channels: [CHANNEL], approvers: [`slack:${ADA}`, `slack-group:${GROUP}`, 'local:ann'] },
    };
    prepare(slack, checkup);
    const findings = await diagnoseSlack(checkup);
    expect(JSON.stringify(findings)).not.toMatch(/xoxb-\w|xapp-\w/);
    expect(slack.messages()).toEqual([]);
    return findings.map(({ is, what, because }) => `${is} ${what}: ${because}`);
  }

  it('finds everything well, and posts nothing', async () => {
    expect(await diagnosed()).toEqual([
      `good bot token: it is gleaner in ${TEAM} (${TEAM})`,
      'good scopes: chat:write, commands, users:read, usergroups:read',
      'good app token: Socket Mode takes it: no public address is needed',
      `good channel ${CHANNEL}: the app is in #ops`,
      `good slack:${ADA}: may approve`,
      `good slack-group:${GROUP}: 2 may approve`,
    ]);
  });

  it.each<[string, (slack: SlackDouble, checkup: Checkup) => unknown, RegExp]>([
    [
      'no bot token',
      (_, checkup) => Object.assign(checkup, { botToken: undefined }),
      /^bad bot token: SLACK_BOT_TOKEN is not set/,
    ],
    [
      'tokens that were swapped',
      ({ appToken }, checkup) => Object.assign(checkup, { botToken: appToken }),
      /^bad bot token: .*begin with xoxb-.*kind xapp-/,
    ],
    [
      'a token that is no more',
      (slack) => Object.assign(slack.token(slack.botToken), { state: 'token_revoked' }),
      /^bad bot token: .*install the app again/,
    ],
    ['a Slack that hangs', (slack) => slack.faults.add({ kind: 'hang' }), /^unsure bot token: .*no answer in time/],
    [
      'a missing scope',
      (slack) => slack.token(slack.botToken).scopes.delete('users:read'),
      /^bad scope users:read: it tells members.*OAuth & Permissions/,
    ],
    [
      'no scope for groups',
      (slack) => slack.token(slack.botToken).scopes.delete('usergroups:read'),
      /^bad scope usergroups:read/,
    ],
    [
      'an app token of another kind',
      ({ botToken }, checkup) => Object.assign(checkup, { appToken: botToken }),
      /^bad app token: .*begin with xapp-/,
    ],
    [
      'an app token without its scope',
      (slack) => slack.token(slack.appToken).scopes.clear(),
      /^bad app token: .*connections:write/,
    ],
    [
      'neither Socket Mode nor a secret',
      (_, checkup) => Object.assign(checkup, { appToken: undefined }),
      /^bad transport: set SLACK_APP_TOKEN/,
    ],
    [
      'a secret that is none',
      (_, checkup) => Object.assign(checkup, { appToken: undefined, signingSecret: 'xoxb' }),
      /^bad signing secret: it has 32/,
    ],
    ['no channel', (_, checkup) => Object.assign(checkup, { channels: [] }), /^bad channel: none is named/],
    [
      'a channel that is not there',
      (_, checkup) => Object.assign(checkup, { channels: ['C0GONE'] }),
      /^bad channel C0GONE: .*check the id/,
    ],
    [
      'a channel without the app',
      (slack) => slack.channel(CHANNEL).members.delete(slack.botUserId),
      /^bad channel C0OPS: .*\/invite/,
    ],
    [
      'an archived channel',
      (slack) => Object.assign(slack.channel(CHANNEL), { archived: true }),
      /^bad channel C0OPS: #ops is archived/,
    ],
    [
      'a channel that it may not look at',
      (slack) => slack.token(slack.botToken).scopes.delete('channels:read'),
      /^unsure channel C0OPS: .*channels:read/,
    ],
    [
      'a guest who approves',
      (slack) => Object.assign(slack.user(ADA), { is_restricted: true }),
      /^bad slack:U0ADA: the account is a guest/,
    ],
    ['an empty group', (slack) => slack.group(GROUP).members.clear(), /^bad slack-group:S0ONCALL: nobody is in it/],
    [
      'a group that is not there',
      (slack) => Object.assign(slack.group(GROUP), { enabled: false }),
      /^bad slack-group:S0ONCALL: .*no_such_subteam/,
    ],
  ])('says what to fix: %s', async (_what, prepare, finding) => {
    expect(await diagnosed(prepare)).toContainEqual(expect.stringMatching(finding));
  });
});
