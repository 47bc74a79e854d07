import { settleCommand, settleView } from './acknowledged.ts';
import { type Filled, stateOf } from './filled.ts';
import { LIMITS } from './limits.ts';
import { closing, messagePress, slash, submission, viewPress } from './payloads.ts';
import { type ActionParts, type Delivery, overHttp, type Sending, send, sendInteraction } from './send.ts';
import type { SignedRequest } from './signed-request.ts';
import { type Message, post, type User, userSeenBy, type View } from './state.ts';

/** A person by id, in the app's own workspace; or the very user, of any workspace. */
type Who = string | User;

export interface Actions {
  /** Presses a button, or chooses in a menu, of a message or an open view. `asOf`: the version of the message that is seen. */
  click(
    where: Message | View,
    actionId: string,
    who: Who,
    how?: Sending & { choose?: string; asOf?: number },
  ): Promise<Delivery>;
  /** Submits a modal. `values` by `action_id` or `block_id.action_id`. */
  submit(view: View, values: Filled, how?: Sending & { who?: Who }): Promise<Delivery>;
  /** Dismisses a modal; nothing is sent, unless the view has `notify_on_close`. */
  dismiss(view: View, how?: Sending): Promise<Delivery | undefined>;
  command(command: string, text: string, who: Who, how?: Sending & { channel?: string }): Promise<Delivery>;
  /** A person writes a message. */
  say(who: Who, text: string, where?: { channel?: string; threadTs?: string }): Message;
  /** Sends a signed request once more, as it is. */
  replay(request: SignedRequest, how?: Pick<Sending, 'to' | 'within'>): Promise<Delivery>;
}

export function startActions(parts: ActionParts): Actions {
  const { state } = parts;
  const whom = (who: Who): User => {
    const user = typeof who === 'string' ? userSeenBy(state, parts.team, who) : who;
    if (user === undefined) throw new Error(`there is no user ${String(who)}; add one with add.user`);
    return user;
  };
  return {
    async click(where, actionId, who, { choose, asOf, ...how } = {}) {
      const press = { actionId, user: whom(who), choose };
      if (!('versions' in where)) return sendInteraction(parts, viewPress(parts, where, press), how);
      const seen = asOf === undefined ? where.newest : where.versions[asOf];
      if (seen === undefined) throw new Error(`message ${where.ts} has no version ${asOf}`);
      return sendInteraction(parts, messagePress(parts, where, seen.blocks, press), how);
    },
    async submit(view, values, { who, ...how } = {}) {
      const made = submission(parts, view, whom(who ?? view.user), stateOf(view, values));
      const delivery = await sendInteraction(parts, made, how, true);
      return delivery.acknowledged ? { ...delivery, refused: settleView(state, view, delivery.body) } : delivery;
    },
    async dismiss(view, how = {}) {
      view.state = 'closed';
      if (view.content.notify_on_close !== true) return undefined;
      const payload = closing(parts, view, whom(view.user), false);
      return sendInteraction(parts, { payload, triggerId: undefined, responseUrl: undefined }, how);
    },
    async command(command, text, who, { channel = parts.channel, ...how } = {}) {
      const user = whom(who);
      const made = slash(parts, { command, text, channel, user });
      const payload = how.alter?.(made.payload) ?? made.payload;
      const form = new URLSearchParams(
        Object.entries(payload).map(([key, value]): [string, string] => [key, String(value)]),
      );
      const envelope = { type: 'slash_commands', payload, accepts_response_payload: true } as const;
      const delivery = await send(parts, { ...made, payload }, { envelope, body: form.toString() }, how);
      const of = { team: parts.team, channel, user: user.id };
      return delivery.acknowledged ? { ...delivery, refused: settleCommand(parts.urls, of, delivery.body) } : delivery;
    },
    say(who, text, { channel = parts.channel, threadTs } = {}) {
      const user = whom(who);
      const said = { channel, team: user.team, user: user.id, botId: undefined, threadTs, visibleTo: undefined };
      return post(state, said, { by: 'user', text });
    },
    async replay(request, { to, within = LIMITS.acknowledgeWithin } = {}) {
      const target = to ?? parts.target();
      if (target === undefined || target === 'socket') throw new Error('only a request over HTTP can be sent again');
      return overHttp({ payload: {}, triggerId: undefined, responseUrl: undefined }, target, request, within);
    },
  };
}
