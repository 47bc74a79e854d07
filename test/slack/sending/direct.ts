import * as z from 'zod';
import type { Called, SlackApi } from '../../../shared/adapters/slack/web-api.ts';
import { JsonValue } from '../../../shared/objects.ts';
import { METHODS } from '../../doubles/slack/api/methods.ts';
import { startTriggers } from '../../doubles/slack/triggers.ts';
import type { ApiCall } from '../../doubles/slack/web-api.ts';
import { freshState } from '../../doubles/slack/world.ts';
import type { SlackSeen } from './seen.ts';

const Args = z.record(z.string(), JsonValue);

export interface DirectSlack extends SlackApi, SlackSeen {
  /** Nothing reaches it. */
  isDown: boolean;
}

/**
 * The double's Slack, with all of its rules, without the wire. What goes through sockets comes in an order of its own:
 * here a seed gives the same history again, and a death at each write and call of it makes hundreds of histories, which
 * are lived in seconds.
 */
export function directSlack(now: () => Date): DirectSlack {
  const state = freshState(now);
  const token = [...state.tokens.values()].find(({ kind }) => kind === 'bot');
  if (!token) throw new Error('the double has no bot token');
  const context = { state, triggers: startTriggers(state), token, ticket: () => '' };
  const calls: ApiCall[] = [];
  const slack: DirectSlack = {
    isDown: false,
    calls: (method) => calls.filter((call) => (method ?? call.method) === call.method),
    messages: (channel) =>
      state.messages.filter((one) => one.visibleTo === undefined && (channel ?? one.channel) === one.channel),
    async call<T>(method: string, given: Readonly<Record<string, unknown>>, answer: z.ZodType<T>): Promise<Called<T>> {
      const args = Args.parse(given);
      const call: ApiCall = { method, args, token: undefined, at: now(), outcome: 'down' };
      calls.push(call);
      if (slack.isDown) return { is: 'unreachable', because: `Slack did not answer ${method}: ECONNREFUSED` };
      const result = METHODS[method]?.run(args, context) ?? { ok: false, error: 'unknown_method' };
      call.outcome = result.ok ? 'ok' : String(result.error);
      if (result.ok) return { is: 'ok', value: answer.parse(result), scopes: [] };
      return { is: 'refused', code: call.outcome, because: `Slack refuses ${method}: ${call.outcome}` };
    },
  };
  return slack;
}
