import * as z from 'zod';
import { isObject, type Json } from '../../../../shared/objects.ts';
import { checkMessage } from '../blocks/check.ts';
import { messageJson } from '../json.ts';
import { type Channel, type Message, messageAt, post, userSeenBy, write } from '../state.ts';
import { openDirect } from './direct.ts';
import { type Answer, type Call, channelFor, flag, json, method, refuse, refuseFor } from './method.ts';

const content = {
  text: z.string().optional(),
  blocks: json.optional(),
  metadata: json.optional(),
  parse: z.enum(['none', 'full']).optional(),
  link_names: flag,
  mrkdwn: flag,
};
const posting = z.strictObject({
  channel: z.string().min(1),
  thread_ts: z.string().optional(),
  reply_broadcast: flag,
  unfurl_links: flag,
  unfurl_media: flag,
  username: z.string().optional(),
  icon_emoji: z.string().optional(),
  icon_url: z.string().optional(),
  ...content,
});

type Content = { text?: string | undefined; blocks?: Json | undefined; metadata?: Json | undefined };

/** Why the content may not be posted. An empty list of blocks counts as none. */
function faultOf({ text, blocks, metadata }: Content): Answer | undefined {
  const none = blocks === undefined || (Array.isArray(blocks) && blocks.length === 0);
  if (none && (text === undefined || text === '')) return refuse('no_text');
  if (metadata !== undefined && !(isObject(metadata) && isObject(metadata.event_payload) && metadata.event_type))
    return refuse('invalid_metadata_format');
  if (blocks !== undefined && !Array.isArray(blocks)) return refuse('invalid_blocks_format');
  const refusal = checkMessage({ ...(text !== undefined && { text }), ...(!none && { blocks }) });
  return refusal && refuseFor(refusal);
}

/** Where a message goes: a channel, or the conversation with a person. */
function placeFor(call: Call, name: string): Channel | Answer {
  if (/^[UW]/.test(name) && channelFor(call, name) === undefined) {
    return openDirect(call, name) ?? refuse('channel_not_found');
  }
  const { state, token } = call;
  const channel = channelFor(call, name);
  if (channel === undefined) return refuse('channel_not_found');
  const inside = channel.members.has(state.botUserId);
  // Slack does not say that a private channel exists to who is not in it.
  if (!inside && channel.kind === 'private') return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  if (!inside && !token.scopes.has('chat:write.public')) return refuse('not_in_channel');
  return channel;
}

const isAnswer = (place: Channel | Answer): place is Answer => 'ok' in place;

/** Slack advises to reply to the parent; the double insists on one that is there. */
const badThread = ({ state }: Call, channel: Channel, ts: string | undefined): boolean =>
  ts !== undefined && messageAt(state, channel.id, ts)?.threadTs !== undefined
    ? true
    : ts !== undefined && messageAt(state, channel.id, ts) === undefined;

const postMessage = method({
  scopes: ['chat:write'],
  args: posting,
  run(args, call) {
    const place = placeFor(call, args.channel);
    if (isAnswer(place)) return place;
    const fault = faultOf(args);
    if (fault) return fault;
    if (badThread(call, place, args.thread_ts)) return refuse('cannot_reply_to_message');
    const { state, token } = call;
    const message = post(
      state,
      {
        channel: place.id,
        team: token.team,
        user: state.botUserId,
        botId: state.botId,
        threadTs: args.thread_ts,
        visibleTo: undefined,
      },
      { ...args, linkNames: args.link_names, by: 'chat.postMessage' },
    );
    return { ok: true, channel: place.id, ts: message.ts, message: messageJson(state, message) };
  },
});

const postEphemeral = method({
  scopes: ['chat:write'],
  args: posting.omit({ reply_broadcast: true, unfurl_links: true, unfurl_media: true, metadata: true }).extend({
    user: z.string().min(1),
  }),
  run(args, call) {
    const place = placeFor(call, args.channel);
    if (isAnswer(place)) return place;
    if (userSeenBy(call.state, call.token.team, args.user) === undefined) return refuse('user_not_found');
    if (!place.members.has(args.user)) return refuse('user_not_in_channel');
    const fault = faultOf(args);
    if (fault) return fault;
    const { state, token } = call;
    const message = post(
      state,
      {
        channel: place.id,
        team: token.team,
        user: state.botUserId,
        botId: state.botId,
        threadTs: args.thread_ts,
        visibleTo: args.user,
      },
      { ...args, linkNames: args.link_names, by: 'chat.postEphemeral' },
    );
    return { ok: true, message_ts: message.ts };
  },
});

/** The message of this app that a call names, or why it may not touch it. */
function ownMessage(
  call: Call,
  channelId: string,
  ts: string,
  forbidden: string,
): { channel: Channel; message: Message } | Answer {
  const channel = channelFor(call, channelId);
  if (channel === undefined || channel.id !== channelId) return refuse('channel_not_found');
  const message = messageAt(call.state, channel.id, ts);
  if (message === undefined || message.visibleTo !== undefined) return refuse('message_not_found');
  return message.botId === call.state.botId ? { channel, message } : refuse(forbidden);
}

const update = method({
  scopes: ['chat:write'],
  args: z.strictObject({ channel: z.string().min(1), ts: z.string().min(1), reply_broadcast: flag, ...content }),
  run(args, call) {
    const own = ownMessage(call, args.channel, args.ts, 'cant_update_message');
    if ('ok' in own) return own;
    if (own.channel.archived) return refuse('is_inactive');
    const fault = faultOf(args);
    if (fault) return fault;
    write(call.state, own.message, { ...args, linkNames: args.link_names, by: 'chat.update' });
    const message = messageJson(call.state, own.message);
    return { ok: true, channel: own.channel.id, ts: own.message.ts, text: own.message.text, message };
  },
});

const remove = method({
  scopes: ['chat:write'],
  args: z.strictObject({ channel: z.string().min(1), ts: z.string().min(1) }),
  run(args, call) {
    const own = ownMessage(call, args.channel, args.ts, 'cant_delete_message');
    if ('ok' in own) return own;
    own.message.deletedAt = call.state.now();
    return { ok: true, channel: own.channel.id, ts: own.message.ts };
  },
});

const getPermalink = method({
  scopes: [],
  args: z.strictObject({ channel: z.string().min(1), message_ts: z.string().min(1) }),
  run({ channel: name, message_ts }, call) {
    const channel = channelFor(call, name);
    if (channel === undefined) return refuse('channel_not_found');
    const message = messageAt(call.state, channel.id, message_ts);
    if (message === undefined) return refuse('message_not_found');
    const domain = call.state.teams.get(call.token.team)?.domain;
    const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
    const permalink = `https://${domain}.slack.com/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
    return { ok: true, channel: channel.id, permalink };
  },
});

export const chat = {
  'chat.postMessage': postMessage,
  'chat.postEphemeral': postEphemeral,
  'chat.update': update,
  'chat.delete': remove,
  'chat.getPermalink': getPermalink,
};
