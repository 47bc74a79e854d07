import * as z from 'zod';
import type { Message } from './blocks.ts';
import type { Called, SlackApi } from './web-api.ts';

/** Where a message stands: `message` is Slack's `ts`, unique within the channel. */
export interface Place {
  readonly channel: string;
  readonly message: string;
}

/** Nothing in a text is made active: no names, no links, no previews of what a link shows. */
export const INERT = { parse: 'none', mrkdwn: false } as const;
const NAMELESS = { ...INERT, link_names: false } as const;
const POSTED = { ...NAMELESS, unfurl_links: false, unfurl_media: false } as const;

const Posted = z.object({ ts: z.string().min(1), channel: z.string().min(1) });
const Changed = z.object({ ts: z.string().optional() });
const Done = z.object({});

/** Posts into a channel, or into the thread of a message there. */
export const post = (
  api: SlackApi,
  { channel, thread }: { readonly channel: string; readonly thread?: string | undefined },
  message: Message,
): Promise<Called<{ ts: string; channel: string }>> =>
  api.call('chat.postMessage', { channel, ...message, ...POSTED, ...(thread && { thread_ts: thread }) }, Posted);

/** Shows something else where a message stands. */
export const update = (
  api: SlackApi,
  { channel, message: ts }: Place,
  message: Message,
): Promise<Called<{ ts?: string | undefined }>> =>
  api.call('chat.update', { channel, ts, ...message, ...NAMELESS }, Changed);

/** Shows a message in a channel to one person alone. Slack keeps no copy of it. */
export const whisper = (
  api: SlackApi,
  { channel, user }: { readonly channel: string; readonly user: string },
  message: Message,
): Promise<Called<unknown>> => api.call('chat.postEphemeral', { channel, user, ...message, ...NAMELESS }, Done);

/** The address of a message, for people. */
export const permalink = (api: SlackApi, { channel, message }: Place): Promise<Called<{ permalink: string }>> =>
  api.call('chat.getPermalink', { channel, message_ts: message }, z.object({ permalink: z.url() }));
