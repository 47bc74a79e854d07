import type { From } from '../../model.ts';
import type { Message } from './blocks.ts';
import { INERT, whisper } from './messages.ts';
import type { Attempt } from './once.ts';
import { failureOf } from './refusals.ts';
import type { Called, SlackApi } from './web-api.ts';

export interface RespondParts {
  readonly api: SlackApi;
  /** Where the API is, other than at Slack: reply addresses of that origin are used, too. */
  readonly url?: string | undefined;
  /** Milliseconds after which an answer is not waited for any more. */
  readonly timeout?: number | undefined;
  readonly warn: (because: string) => void;
}

const TIMEOUT = 2_500;
const PAUSE_SECONDS = 30;

/**
 * Shows a message to one person alone, where it was asked for: by the reply address, which Slack takes five times in half
 * an hour, then by `chat.postEphemeral`. What Slack refuses for good is given up: the card shows where things stand.
 */
export async function answerTo(parts: RespondParts, from: From, user: string, message: Message): Promise<Attempt> {
  if (from.reply !== undefined && isReplyAddress(from.reply, parts.url)) {
    const called = await respond(from.reply, message, parts.timeout);
    if (called.is === 'ok') return { is: 'told' };
    if (called.is !== 'refused') return called;
  }
  const called = await whisper(parts.api, { channel: from.channel, user }, message);
  if (called.is === 'ok') return { is: 'told' };
  if (called.is !== 'refused') return called;
  parts.warn(`${user} cannot be answered in ${from.channel}: ${failureOf(called)}`);
  return { is: 'told' };
}

/** Slack's own host, or the origin of the API that was configured: any other address could be one inside our network. */
export function isReplyAddress(address: string, api: string | undefined): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '') return false;
  if (api !== undefined && url.origin === URL.parse(api)?.origin) return true;
  return url.origin === 'https://hooks.slack.com';
}

/** Posts to a reply address. It is a secret: nothing of it stands in the answer. */
async function respond(address: string, message: Message, timeout = TIMEOUT): Promise<Called<unknown>> {
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...message, ...INERT });
  let response: Response;
  try {
    response = await fetch(address, {
      ...{ method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(timeout) },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    await response.body?.cancel();
  } catch {
    return { is: 'uncertain', because: 'Slack did not take the answer at the reply address' };
  }
  const { status } = response;
  if (response.ok) return { is: 'ok', value: undefined, scopes: [] };
  const because = `the reply address answered with HTTP ${status}`;
  if (status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? PAUSE_SECONDS) || PAUSE_SECONDS;
    return { is: 'throttled', retryAfter: seconds * 1_000, because };
  }
  return status >= 500 ? { is: 'uncertain', because } : { is: 'refused', code: 'used_url', because };
}
