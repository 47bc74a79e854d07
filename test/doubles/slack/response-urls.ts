import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { JsonValue } from '../../../shared/objects.ts';
import { checkMessage } from './blocks/check.ts';
import type { Faults } from './faults.ts';
import { answer, reset } from './incoming.ts';
import { LIMITS } from './limits.ts';
import { type Message, messageAt, mintId, post, type State, write } from './state.ts';

/** What may be posted to a `response_url`. Source: docs.slack.dev/interactivity/handling-user-interaction. */
const Reply = z.strictObject({
  text: z.string().optional(),
  blocks: JsonValue.optional(),
  response_type: z.enum(['in_channel', 'ephemeral']).optional(),
  replace_original: z.union([z.boolean(), z.stringbool()]).optional(),
  delete_original: z.union([z.boolean(), z.stringbool()]).optional(),
  thread_ts: z.string().optional(),
  metadata: JsonValue.optional(),
  parse: z.string().optional(),
  mrkdwn: z.boolean().optional(),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

/** One URL, good for one interaction of one person. */
interface Issued {
  readonly at: Date;
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  readonly original: Message | undefined;
  used: number;
}

export interface ResponseUrls {
  mint(of: Pick<Issued, 'team' | 'channel' | 'user'> & { kind: 'actions' | 'commands'; original?: Message }): string;
  serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Says what the body of an acknowledgement says; the error where Slack would not take it. */
  say(of: Pick<Issued, 'team' | 'channel' | 'user'>, body: unknown): string | undefined;
}

export function startResponseUrls(state: State, base: () => string, faults: Faults): ResponseUrls {
  const issued = new Map<string, Issued>();
  return {
    mint({ kind, team, channel, user, original }) {
      const path = `/${kind}/${team}/${state.next()}/${mintId(state, 'r').toLowerCase()}`;
      issued.set(path, { at: state.now(), team, channel, user, original, used: 0 });
      return `${base()}${path}`;
    },
    async serve(path, request, response) {
      const body = await text(request);
      const url = issued.get(path);
      const fault = faults.take({ method: 'response_url', channel: url?.channel, token: undefined });
      if (fault?.kind === 'reset') return reset(response);
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'status') return answer(response, {}, { status: fault.status });
      const error = url === undefined ? 'invalid_url' : use(state, url, body);
      if (fault?.kind === 'lost-answer') return reset(response);
      if (error === undefined) return answer(response, { ok: true });
      const gone = ['invalid_url', 'expired_url', 'used_url'].includes(error);
      answer(response, { ok: false, error }, { status: gone ? 404 : 500 });
    },
    say: (of, body) => speak(state, { ...of, original: undefined }, body),
  };
}

/** Uses a URL once; gives the error where it may not be used, or was used badly. */
function use(state: State, url: Issued, body: string): string | undefined {
  if (state.now().getTime() - url.at.getTime() > LIMITS.responseUrl.lives) return 'expired_url';
  if (url.used >= LIMITS.responseUrl.uses) return 'used_url';
  url.used += 1;
  try {
    return speak(state, url, JSON.parse(body));
  } catch {
    return 'invalid_payload';
  }
}

type Place = Pick<Issued, 'team' | 'channel' | 'user' | 'original'>;

function speak(state: State, { team, channel, user, original }: Place, body: unknown): string | undefined {
  const read = Reply.safeParse(body);
  if (!read.success) return 'invalid_payload';
  const reply = read.data;
  const there = original && messageAt(state, original.channel, original.ts);
  if (reply.delete_original === true) {
    if (there === undefined) return 'message_not_found';
    there.deletedAt = state.now();
    return undefined;
  }
  if (reply.text === undefined && reply.blocks === undefined) return 'no_text';
  const refusal = checkMessage({
    ...(reply.text !== undefined && { text: reply.text }),
    ...(reply.blocks !== undefined && { blocks: reply.blocks }),
  });
  if (refusal) return refusal.error;
  const content = { ...reply, by: 'response_url' };
  if (reply.replace_original === true) {
    if (there === undefined) return 'message_not_found';
    write(state, there, content);
    return undefined;
  }
  const said = { channel, team, user: state.botUserId, botId: state.botId, threadTs: reply.thread_ts };
  post(state, { ...said, visibleTo: reply.response_type === 'in_channel' ? undefined : user }, content);
  return undefined;
}
