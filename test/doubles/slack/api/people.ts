import * as z from 'zod';
import type { JsonObject } from '../../../../shared/objects.ts';
import { channelJson, messageJson, userJson } from '../json.ts';
import { type Channel, type Group, type Message, userSeenBy } from '../state.ts';
import { openDirect } from './direct.ts';
import { type Answer, type Call, channelFor, count, flag, method, refuse } from './method.ts';

const usersInfo = method({
  scopes: ['users:read'],
  args: z.strictObject({ user: z.string().min(1), include_locale: flag }),
  run({ user: id }, { state, token }) {
    const user = userSeenBy(state, token.team, id);
    if (user) return { ok: true, user: userJson(state, user, token.team) };
    const elsewhere = [...state.users.values()].some((other) => other.id === id);
    return refuse(elsewhere ? 'user_not_visible' : 'user_not_found');
  },
});

/** The groups of the token's workspace, or why there are none to speak of. */
function groupsOf({ state, token }: Call): Group[] | Answer {
  if (state.teams.get(token.team)?.paid !== true) return refuse('plan_upgrade_required');
  return [...state.groups.values()].filter(({ team }) => team === token.team);
}

const groupsList = method({
  scopes: ['usergroups:read'],
  args: z.strictObject({
    include_count: flag,
    include_disabled: flag,
    include_users: flag,
  }),
  run(args, call) {
    const groups = groupsOf(call);
    if (!Array.isArray(groups)) return groups;
    const seen = groups.filter(({ enabled }) => enabled || args.include_disabled === true);
    return {
      ok: true,
      usergroups: seen.map((group) => ({
        ...groupJson(group),
        ...(args.include_users === true && { users: [...group.members] }),
        ...(args.include_count === true && { user_count: group.members.size }),
      })),
    };
  },
});

const groupJson = ({ id, team, name, handle, enabled }: Group): JsonObject => ({
  ...{ id, team_id: team, name, handle, description: '' },
  ...{ is_usergroup: true, is_subteam: true, is_external: false },
  ...{ date_create: 0, date_update: 0, date_delete: enabled ? 0 : 1 },
});

const groupUsers = method({
  scopes: ['usergroups:read'],
  args: z.strictObject({ usergroup: z.string().min(1), include_disabled: flag }),
  run(args, call) {
    const groups = groupsOf(call);
    if (!Array.isArray(groups)) return groups;
    const group = groups.find(({ id }) => id === args.usergroup);
    if (group === undefined || !(group.enabled || args.include_disabled === true)) return refuse('no_such_subteam');
    return { ok: true, users: [...group.members] };
  },
});

/** The scope that a read of a conversation needs, by the conversation's kind. */
const scopeFor = (verb: 'read' | 'history', { kind }: Channel): string =>
  `${{ public: 'channels', private: 'groups', im: 'im' }[kind]}:${verb}`;

/** A conversation that the app may read, or why not. */
function readable(call: Call, id: string, verb: 'read' | 'history'): Channel | Answer {
  const channel = channelFor(call, id);
  const inside = channel?.members.has(call.state.botUserId) === true;
  if (channel === undefined || channel.id !== id || (!inside && channel.kind !== 'public')) {
    return refuse('channel_not_found');
  }
  const needed = scopeFor(verb, channel);
  if (!call.token.scopes.has(needed)) {
    return refuse('missing_scope', { needed, provided: [...call.token.scopes].join(',') });
  }
  return verb === 'history' && !inside ? refuse('not_in_channel') : channel;
}

const conversationsInfo = method({
  scopes: [],
  args: z.strictObject({ channel: z.string().min(1), include_locale: flag, include_num_members: flag }),
  run({ channel: id }, call) {
    const channel = readable(call, id, 'read');
    return 'ok' in channel ? channel : { ok: true, channel: channelJson(call.state, channel) };
  },
});

const paging = {
  cursor: z.string().optional(),
  limit: count,
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: flag,
  include_all_metadata: flag,
};

/** One page of messages. A cursor is the place to go on from. */
function page(
  call: Call,
  messages: readonly Message[],
  args: { cursor?: string | undefined; limit?: number | undefined },
): Answer {
  const from = args.cursor === undefined ? 0 : Number(Buffer.from(args.cursor, 'base64').toString());
  if (!Number.isInteger(from)) return refuse('invalid_cursor');
  const end = from + (args.limit ?? 100);
  const more = end < messages.length;
  return {
    ok: true,
    messages: messages.slice(from, end).map((message) => messageJson(call.state, message)),
    has_more: more,
    ...(more && { response_metadata: { next_cursor: Buffer.from(String(end)).toString('base64') } }),
  };
}

type Span = { oldest?: string | undefined; latest?: string | undefined; inclusive?: boolean | undefined };
const within = ({ oldest = '0', latest = '9999999999', inclusive }: Span, ts: string): boolean =>
  inclusive === true ? ts >= oldest && ts <= latest : ts > oldest && ts < latest;

const visible = (call: Call, channel: Channel): Message[] =>
  call.state.messages.filter(
    (message) => message.channel === channel.id && message.deletedAt === undefined && message.visibleTo === undefined,
  );

const history = method({
  scopes: [],
  args: z.strictObject({ channel: z.string().min(1), ...paging }),
  run(args, call) {
    const channel = readable(call, args.channel, 'history');
    if ('ok' in channel) return channel;
    const top = visible(call, channel).filter(({ threadTs, ts }) => threadTs === undefined && within(args, ts));
    return page(call, top.reverse(), args);
  },
});

const replies = method({
  scopes: [],
  args: z.strictObject({ channel: z.string().min(1), ts: z.string().min(1), ...paging }),
  run(args, call) {
    const channel = readable(call, args.channel, 'history');
    if ('ok' in channel) return channel;
    const thread = visible(call, channel).filter(({ ts, threadTs }) => ts === args.ts || threadTs === args.ts);
    if (!thread.some(({ ts }) => ts === args.ts)) return refuse('thread_not_found');
    return page(
      call,
      thread.filter(({ ts }) => ts === args.ts || within(args, ts)),
      args,
    );
  },
});

const open = method({
  scopes: ['im:write'],
  args: z.strictObject({ users: z.string().optional(), channel: z.string().optional(), return_im: flag }),
  run({ users = '', channel }, call) {
    const known = channel === undefined ? undefined : channelFor(call, channel);
    if (channel !== undefined) return known ? { ok: true, channel: { id: known.id } } : refuse('channel_not_found');
    if (users === '') return refuse('users_list_not_supplied');
    if (users.includes(',')) return refuse('method_not_supported_for_channel_type');
    const direct = openDirect(call, users);
    return direct ? { ok: true, channel: { id: direct.id } } : refuse('user_not_found');
  },
});

export const people = {
  'users.info': usersInfo,
  'usergroups.list': groupsList,
  'usergroups.users.list': groupUsers,
  'conversations.info': conversationsInfo,
  'conversations.history': history,
  'conversations.replies': replies,
  'conversations.open': open,
};
