import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock/manual.ts';
import { slackDirectory } from './directory.ts';
import type { Failed } from './web-api.ts';

type Answer = Failed | { readonly is?: never; user?: object; users?: string[] } | ((asked: unknown) => object);
const FROM = { team: 'T0', channel: 'C0' };
const ADA = 'slack:U0ADA';
const user = (more: object = {}) => ({ user: { id: 'U0ADA', team_id: 'T0', deleted: false, is_bot: false, ...more } });
const refused = (code: string) => ({ is: 'refused', code, because: `Slack refuses: ${code}` }) as const;

/** A directory over answers that a test may change, one for each method. */
function directoryOver(answers: Record<string, Answer>, enterprise?: string) {
  const clock = manualClock('2026-01-15T12:00:00.000Z');
  const calls: string[] = [];
  const directory = slackDirectory({
    ...{ clock, team: 'T0', enterprise },
    api: {
      async call(method, args, schema) {
        calls.push(`${method} ${JSON.stringify(args)}`);
        const answer = answers[method] ?? { is: 'unreachable', because: 'ECONNREFUSED' };
        if (typeof answer !== 'function' && answer.is !== undefined) return answer;
        const value = typeof answer === 'function' ? answer(args.user) : answer;
        return { is: 'ok', value: schema.parse(value), scopes: [] };
      },
    },
  });
  return { directory, clock, calls, answers };
}

describe('Who may decide', () => {
  it.each<[string, Answer, object]>([
    ['a member', user(), { is: 'yes' }],
    ['somebody deactivated', user({ deleted: true }), { is: 'no', because: 'the account is deactivated' }],
    ['a bot', user({ is_bot: true }), { is: 'no', because: 'it is a bot' }],
    ['a workflow', user({ is_workflow_bot: true }), { is: 'no', because: 'it is a bot' }],
    ['a guest', user({ is_restricted: true }), { is: 'no', because: 'the account is a guest' }],
    ['a guest of one channel', user({ is_ultra_restricted: true }), { is: 'no' }],
    [
      'a stranger of Slack Connect',
      user({ is_stranger: true, team_id: 'T9' }),
      { is: 'no', because: expect.stringMatching(/another company/) },
    ],
    [
      'the same id in another workspace',
      user({ team_id: 'T9' }),
      { is: 'no', because: 'the account is of another workspace' },
    ],
    ['an account without a workspace', { user: { id: 'U0ADA' } }, { is: 'no' }],
    ['nobody', refused('user_not_found'), { is: 'no', because: 'Slack knows no such person' }],
    ['somebody else than was asked for', user({ id: 'U0EVE' }), { is: 'unreadable' }],
    [
      'whom Slack does not tell of',
      refused('missing_scope'),
      { is: 'unreadable', because: expect.stringMatching(/add the scope/) },
    ],
    ['whom nobody can be asked about', { is: 'unreachable', because: 'ECONNREFUSED' }, { is: 'unreadable' }],
    ['whose answer did not come', { is: 'uncertain', because: 'no answer in time' }, { is: 'unreadable' }],
  ])('is asked of Slack: %s', async (_who, answer, says) => {
    const { directory } = directoryOver({ 'users.info': answer });

    expect(await directory.isMember(ADA, FROM)).toMatchObject(says);
  });

  it('is nobody who comes from another workspace, without asking', async () => {
    const { directory, calls } = directoryOver({ 'users.info': user() });

    expect(await directory.isMember(ADA, { ...FROM, team: 'T9' })).toMatchObject({ is: 'no' });
    expect(calls).toEqual([]);
  });

  it('is whom our organisation has put into our workspace', async () => {
    const wide = (teams: string[]) => user({ team_id: 'T9', enterprise_user: { enterprise_id: 'E0', teams } });

    expect(await directoryOver({ 'users.info': wide(['T9', 'T0']) }, 'E0').directory.isMember(ADA)).toEqual({
      is: 'yes',
    });
    expect(await directoryOver({ 'users.info': wide(['T9']) }, 'E0').directory.isMember(ADA)).toMatchObject({
      is: 'no',
    });
    expect(await directoryOver({ 'users.info': wide(['T0']) }).directory.isMember(ADA)).toMatchObject({ is: 'no' });
  });

  it('is none of Slack where the principal is another system’s', async () => {
    const { directory, calls } = directoryOver({});

    expect(await directory.isMember('local:ann')).toEqual({ is: 'yes' });
    expect(await directory.isMember('hook:ci')).toMatchObject({ is: 'no' });
    expect(await directory.isMember('slack-group:S1')).toMatchObject({ is: 'no' });
    expect(calls).toEqual([]);
  });
});

describe('A group', () => {
  const GROUP = 'slack-group:S0';

  it.each<[string, Answer, object]>([
    ['that has the person', { users: ['U0BOB', 'U0ADA'] }, { is: 'yes' }],
    ['that has not', { users: ['U0BOB'] }, { is: 'no' }],
    ['of nobody', { users: [] }, { is: 'no' }],
    ['that is not in use', refused('no_such_subteam'), { is: 'no', because: expect.stringMatching(/S0 in use/) }],
    [
      'on a plan without groups',
      refused('plan_upgrade_required'),
      { is: 'no', because: expect.stringMatching(/paid plan/) },
    ],
    ['that may not be read', refused('missing_scope'), { is: 'unreadable' }],
    ['that cannot be read now', { is: 'throttled', retryAfter: 1, because: 'wait' }, { is: 'unreadable' }],
  ])('%s', async (_what, answer, says) => {
    const { directory } = directoryOver({ 'usergroups.users.list': answer });

    expect(await directory.belongs(ADA, GROUP)).toMatchObject(says);
  });

  it('of another system has nobody of Slack, nor a group of Slack anybody of another system', async () => {
    const { directory, calls } = directoryOver({ 'usergroups.users.list': { users: ['ann'] } });

    expect(await directory.belongs('local:ann', GROUP)).toMatchObject({ is: 'no' });
    expect(await directory.belongs(ADA, 'local:ops')).toMatchObject({ is: 'no' });
    expect(calls).toEqual([]);
  });
});

describe('An answer', () => {
  it('counts for a minute, and not at all where it is asked anew', async () => {
    const { directory, clock, answers, calls } = directoryOver({ 'users.info': user() });
    expect(await directory.isMember(ADA)).toEqual({ is: 'yes' });
    answers['users.info'] = user({ deleted: true });

    clock.advance(5_000);
    expect(await directory.isMember(ADA)).toEqual({ is: 'yes' });
    expect(await directory.fresh().isMember(ADA)).toMatchObject({ is: 'no' });
    clock.advance(54_999);
    expect(await directory.isMember(ADA)).toEqual({ is: 'yes' });
    clock.advance(1);
    expect(await directory.isMember(ADA)).toMatchObject({ is: 'no' });
    expect(calls).toHaveLength(3);
  });

  it('that could not be had is not kept', async () => {
    const { directory, answers } = directoryOver({});
    expect(await directory.isMember(ADA)).toMatchObject({ is: 'unreadable' });
    answers['users.info'] = user();

    expect(await directory.isMember(ADA)).toEqual({ is: 'yes' });
  });

  it('is shared by those who ask at the same time, and at most a thousand are kept', async () => {
    const { directory, calls } = directoryOver({ 'users.info': (id) => user({ id }) });

    await Promise.all(Array.from({ length: 200 }, () => directory.isMember(ADA)));
    expect(calls).toHaveLength(1);
    for (let index = 0; index < 1_000; index++) await directory.isMember(`slack:U${index}`);
    await directory.isMember(ADA);

    expect(calls.filter((call) => call.includes('U0ADA'))).toHaveLength(2);
  });
});
