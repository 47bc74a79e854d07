import type { JsonObject } from '../../../shared/objects.ts';
import type { Channel, Message, State, User, View } from './state.ts';

/** The state in the shapes of Slack's answers and payloads. Source: slackapi/java-slack-sdk, json-logs/samples. */

/** A message, as chat.postMessage answers with and as payloads carry it. */
export function messageJson(state: State, message: Message): JsonObject {
  const bot = message.botId !== undefined && { bot_id: message.botId, app_id: state.appId };
  const { newest } = message;
  return {
    ...bot,
    type: 'message',
    text: newest.text,
    user: message.user,
    ts: message.ts,
    team: message.team,
    ...(newest.blocks.length > 0 && { blocks: newest.blocks }),
    ...threadJson(state, message),
    ...(newest.metadata !== undefined && { metadata: newest.metadata }),
    ...(message.edited && { edited: { user: message.user, ts: seconds(newest.at) } }),
  };
}

function threadJson(state: State, message: Message): JsonObject {
  if (message.threadTs !== undefined) return { thread_ts: message.threadTs };
  const replies = state.messages.filter(
    ({ channel, threadTs, deletedAt, visibleTo }) =>
      channel === message.channel && threadTs === message.ts && deletedAt === undefined && visibleTo === undefined,
  );
  const latest = replies.at(-1);
  return latest ? { thread_ts: message.ts, reply_count: replies.length, latest_reply: latest.ts } : {};
}

const seconds = (at: Date): string => `${Math.floor(at.getTime() / 1000)}.000000`;

/** A modal, as views.open answers with; `values` are a submission's. */
export function viewJson(state: State, view: View, values: JsonObject = {}): JsonObject {
  return {
    id: view.id,
    team_id: view.team,
    private_metadata: '',
    callback_id: '',
    external_id: '',
    clear_on_close: false,
    notify_on_close: false,
    close: null,
    submit: null,
    ...view.content,
    state: { values },
    hash: view.hash,
    previous_view_id: view.previousId ?? null,
    root_view_id: view.rootId,
    app_id: state.appId,
    app_installed_team_id: view.team,
    bot_id: state.botId,
  };
}

/** A person, as users.info tells; `asker` is the workspace that asks. */
export function userJson(state: State, user: User, asker: string): JsonObject {
  const enterprise = state.teams.get(user.team)?.enterprise;
  const { id, name, real_name, deleted, is_admin, is_bot, is_restricted, is_ultra_restricted, is_workflow_bot } = user;
  return {
    ...{ id, team_id: user.team, name, real_name, deleted },
    tz: 'Europe/Amsterdam',
    profile: {
      real_name,
      display_name: user.display_name,
      team: user.team,
      ...(is_bot && { api_app_id: state.appId }),
    },
    is_owner: false,
    is_primary_owner: false,
    ...{ is_admin, is_bot, is_restricted, is_ultra_restricted, is_workflow_bot },
    is_app_user: false,
    updated: 0,
    // Slack says it of people of other workspaces only.
    ...((user.is_stranger || user.team !== asker) && { is_stranger: user.is_stranger }),
    ...(enterprise && {
      enterprise_user: {
        id: user.enterprise_user_id ?? user.id,
        enterprise_id: enterprise.id,
        enterprise_name: enterprise.name,
        teams: [user.team],
      },
    }),
  };
}

/** A conversation, as conversations.info tells. */
export function channelJson(state: State, channel: Channel): JsonObject {
  const shared = channel.sharedWith.size > 0;
  const base = { id: channel.id, created: 0, context_team_id: channel.team, is_archived: channel.archived };
  if (channel.kind === 'im') {
    return { ...base, is_im: true, user: [...channel.members].find((id) => id !== state.botUserId) ?? '' };
  }
  return {
    ...base,
    name: channel.name,
    name_normalized: channel.name,
    ...{ is_channel: channel.kind === 'public', is_group: channel.kind === 'private', is_im: false, is_mpim: false },
    is_private: channel.kind === 'private',
    is_member: channel.members.has(state.botUserId),
    ...{ is_shared: shared, is_ext_shared: shared, is_org_shared: false },
    shared_team_ids: [channel.team, ...channel.sharedWith],
    num_members: channel.members.size,
  };
}
