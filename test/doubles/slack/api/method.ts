import * as z from 'zod';
import { type Json, type JsonObject, JsonValue } from '../../../../shared/objects.ts';
import type { Refusal } from '../blocks/check.ts';
import type { Channel, State, Token } from '../state.ts';
import type { Triggers } from '../triggers.ts';

/** Slack's answer to a call: HTTP 200 either way. */
export type Answer = JsonObject & { readonly ok: boolean };

/** What a method runs with. */
export interface Call {
  readonly state: State;
  readonly triggers: Triggers;
  readonly token: Token;
  /** A URL to open a Socket Mode connection with. */
  readonly ticket: () => string;
}

export interface Method {
  /** Which token may call it. */
  readonly token: 'bot' | 'app' | 'any';
  /** One of these scopes must be there; none is needed where the list is empty. */
  readonly scopes: readonly string[];
  run(given: Readonly<Record<string, Json>>, call: Call): Answer;
}

/** A method of the Web API. Its arguments are a strict object: an unknown one is refused, which Slack itself does not do. */
export function method<T>(
  does: Pick<Method, 'scopes'> & {
    token?: Method['token'];
    args: z.ZodType<T>;
    run: (args: T, call: Call) => Answer;
  },
): Method {
  return {
    token: does.token ?? 'bot',
    scopes: does.scopes,
    run(given, call) {
      // Bolt's client names the workspace in every call; Slack ignores it where the token is of one workspace.
      const { team_id: _, ...args } = given;
      const read = does.args.safeParse(args);
      return read.success
        ? does.run(read.data, call)
        : refuse('invalid_arguments', { messages: read.error.issues.map(wordsOf) });
    },
  };
}

const wordsOf = (issue: z.core.$ZodIssue): string => `[ERROR] ${issue.message} [json-pointer:/${issue.path.join('/')}]`;

/** `ok: false` with an error of Slack's list. */
export function refuse(
  error: string,
  more: { messages?: readonly string[]; needed?: string; provided?: string } = {},
): Answer {
  const { messages, ...rest } = more;
  return { ok: false, error, ...rest, ...(messages && { response_metadata: { messages } }) };
}

export const refuseFor = ({ error, messages }: Refusal): Answer => refuse(error, { messages });

/** An argument that form bodies carry as a string and JSON bodies as it is. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')
  .optional();
export const count = z.coerce.number().int().min(1).max(1_000).optional();

/** An argument that form bodies carry as JSON text. What is no JSON is left as the string it is. */
export const json = JsonValue.transform((value): Json => {
  if (typeof value !== 'string') return value;
  try {
    return JsonValue.parse(JSON.parse(value));
  } catch {
    return value;
  }
});

/** A channel by id, or by name as chat.postMessage also takes it, where the token's workspace sees it. */
export function channelFor({ state, token }: Call, name: string): Channel | undefined {
  const plain = name.replace(/^#/, '');
  return [...state.channels.values()].find(
    (channel) =>
      (channel.id === name || (channel.kind !== 'im' && channel.name === plain && channel.team === token.team)) &&
      (channel.team === token.team || channel.sharedWith.has(token.team)),
  );
}
