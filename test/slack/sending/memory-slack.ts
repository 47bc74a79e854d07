import type * as z from 'zod';
import type { Called, SlackApi } from '../../../shared/adapters/slack/web-api.ts';

/** A message as it stands, with what was shown before. */
interface Standing {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  readonly texts: string[];
  json: string;
  isDeleted: boolean;
}

interface MemoryCall {
  readonly method: string;
  readonly at: number;
  readonly args: Readonly<Record<string, unknown>>;
  readonly is: Called<unknown>['is'];
}

/** What a fault does to a call: an answer in place of Slack's, or (`lost`) Slack does it and nobody hears of it. */
export type Fault = Exclude<Called<never>, { is: 'ok' }> | { readonly is: 'lost' } | undefined;

export interface MemorySlack extends SlackApi {
  readonly calls: readonly MemoryCall[];
  readonly messages: readonly Standing[];
  /** The cards and other messages of a channel that are no replies. */
  inChannel(channel: string): readonly Standing[];
  threadOf(ts: string): readonly Standing[];
  fault: (method: string, args: Readonly<Record<string, unknown>>) => Fault;
}

/**
 * Slack in memory, for tests that live through hundreds of histories: it answers like the double does, and keeps what was
 * shown. What goes over the wire is the double's to test.
 */
export function memorySlack(now: () => Date): MemorySlack {
  const calls: MemoryCall[] = [];
  const messages: Standing[] = [];
  let count = 0;
  const at = (channel: unknown, ts: unknown) =>
    messages.find((one) => one.channel === channel && one.ts === ts && !one.isDeleted);

  function run(method: string, args: Readonly<Record<string, unknown>>): unknown {
    const json = JSON.stringify(args.blocks ?? []);
    const text = String(args.text);
    switch (method) {
      case 'chat.postMessage': {
        const thread = args.thread_ts === undefined ? undefined : String(args.thread_ts);
        if (thread !== undefined && !at(args.channel, thread)) return 'cannot_reply_to_message';
        const ts = `1700.${String(++count).padStart(6, '0')}`;
        messages.push({ channel: String(args.channel), ts, thread, texts: [text], json, isDeleted: false });
        return { ts, channel: args.channel };
      }
      case 'chat.update': {
        const message = at(args.channel, args.ts);
        if (!message) return 'message_not_found';
        message.texts.push(text);
        message.json = json;
        return { ts: message.ts };
      }
      case 'chat.postEphemeral':
        return {};
      case 'chat.getPermalink':
        return { permalink: `https://example.slack.com/archives/${args.channel}/${args.message_ts}` };
      default:
        return 'unknown_method';
    }
  }

  const slack: MemorySlack = {
    ...{ calls, messages, fault: () => undefined },
    inChannel: (channel) => messages.filter((one) => one.channel === channel && one.thread === undefined),
    threadOf: (ts) => messages.filter(({ thread }) => thread === ts),
    async call<T>(method: string, args: Readonly<Record<string, unknown>>, answer: z.ZodType<T>): Promise<Called<T>> {
      const fault = slack.fault(method, args);
      const note = (is: Called<unknown>['is']) => calls.push({ method, args, at: now().getTime(), is });
      if (fault && fault.is !== 'lost') {
        note(fault.is);
        return fault;
      }
      const result = run(method, args);
      if (fault) {
        note('uncertain');
        return { is: 'uncertain', because: `Slack did not answer ${method}: ECONNRESET` };
      }
      if (typeof result === 'string') {
        note('refused');
        return { is: 'refused', code: result, because: `Slack refuses ${method}: ${result}` };
      }
      note('ok');
      return { is: 'ok', value: answer.parse(result), scopes: [] };
    },
  };
  return slack;
}
