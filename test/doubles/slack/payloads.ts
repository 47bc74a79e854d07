import { isObject, type JsonObject } from '../../../shared/objects.ts';
import { objectsAt, objectsIn, stringAt } from './blocks/walk.ts';
import { messageJson, viewJson } from './json.ts';
import type { ResponseUrls } from './response-urls.ts';
import { type Message, mintTs, type State, type User, type View } from './state.ts';
import type { Triggers } from './triggers.ts';

/** Makes what Slack sends when people act, in Slack's shapes. Source: slackapi/java-slack-sdk, json-logs/samples/app-backend. */

export interface Made {
  readonly payload: JsonObject;
  readonly triggerId: string | undefined;
  readonly responseUrl: string | undefined;
}

export interface Maker {
  readonly state: State;
  readonly triggers: Triggers;
  readonly urls: ResponseUrls;
}

/** The old verification token, which every payload still carries. */
const VERIFICATION_TOKEN = 'double-verification-token';

/** Who acts and in whose workspace the app is. `home` is the workspace of the channel or view. */
function acting({ state }: Maker, user: User, home: string): JsonObject {
  const team = state.teams.get(home);
  const enterprise = team?.enterprise;
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team },
    api_app_id: state.appId,
    token: VERIFICATION_TOKEN,
    team: {
      id: home,
      domain: team?.domain ?? home.toLowerCase(),
      ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
    },
    enterprise: enterprise ? { id: enterprise.id, name: enterprise.name } : null,
    is_enterprise_install: false,
  };
}

/** A press of a button, or a choice in a menu, in a message or a view. */
export interface Press {
  readonly actionId: string;
  readonly user: User;
  /** The value of the option that is chosen, where the element has options; the id where it lists users. */
  readonly choose?: string | undefined;
}

export function messagePress(maker: Maker, message: Message, shown: readonly JsonObject[], press: Press): Made {
  const { state } = maker;
  const channel = state.channels.get(message.channel);
  const home = channel?.team ?? message.team;
  const triggerId = maker.triggers.mint({ team: home, user: press.user.id });
  const responseUrl = maker.urls.mint({
    ...{ kind: 'actions', team: home, channel: message.channel, user: press.user.id, original: message },
  });
  const ephemeral = message.visibleTo !== undefined;
  const name = { public: channel?.name ?? '', private: 'privategroup', im: 'directmessage' }[channel?.kind ?? 'public'];
  const payload = {
    type: 'block_actions',
    ...acting(maker, press.user, home),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: ephemeral,
      ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    },
    trigger_id: triggerId,
    channel: { id: message.channel, name },
    ...(!ephemeral && { message: { ...messageJson(state, message), blocks: shown } }),
    state: { values: {} },
    response_url: responseUrl,
    actions: [actionOf(state, shown, press)],
  };
  return { payload, triggerId, responseUrl };
}

export function viewPress(maker: Maker, view: View, press: Press): Made {
  const triggerId = maker.triggers.mint({ team: view.team, user: press.user.id, view: view.id });
  const payload = {
    type: 'block_actions',
    ...acting(maker, press.user, view.team),
    container: { type: 'view', view_id: view.id },
    trigger_id: triggerId,
    view: viewJson(maker.state, view),
    actions: [actionOf(maker.state, objectsAt(view.content, 'blocks'), press)],
  };
  return { payload, triggerId, responseUrl: undefined };
}

/** The element that is pressed, as it stands in what the person sees. */
function actionOf(state: State, blocks: readonly JsonObject[], press: Press): JsonObject {
  const found = [...objectsIn(blocks)].find(({ object }) => object.action_id === press.actionId && 'type' in object);
  const block = blocks[Number(found?.at.split('/')[1])];
  if (found === undefined || block === undefined) {
    const there = [...objectsIn(blocks)].flatMap(({ object }) => stringAt(object, 'action_id') ?? []);
    throw new Error(`nothing to press is named ${press.actionId}; there is: ${there.join(', ') || 'nothing at all'}`);
  }
  const { object } = found;
  const common = {
    ...{ type: object.type ?? '', action_id: press.actionId, block_id: block.block_id ?? '' },
    action_ts: mintTs(state),
  };
  if (object.type === 'button') {
    const { text, value, style } = object;
    return { ...common, ...(text && { text }), ...(value !== undefined && { value }), ...(style && { style }) };
  }
  return { ...common, ...chosen(object, press.choose) };
}

/** What a menu says of a choice: in an action, and in the state of a submitted view. */
export function chosen(element: JsonObject, choose: string | readonly string[] | undefined): JsonObject {
  const named = [
    objectsAt(element, 'options'),
    ...objectsAt(element, 'option_groups').map((group) => objectsAt(group, 'options')),
  ].flat();
  const pick = (value: string) => {
    const option = named.find((one) => one.value === value);
    if (option === undefined) throw new Error(`${element.action_id} has no option of the value ${value}`);
    return option;
  };
  const one = typeof choose === 'string' ? choose : choose?.[0];
  switch (element.type) {
    case 'users_select':
      return { selected_user: one ?? null };
    case 'datetimepicker':
      return { selected_date_time: one === undefined ? null : Number(one) };
    case 'checkboxes':
      return { selected_options: [choose ?? []].flat().map((value) => pick(String(value))) };
    case 'plain_text_input':
      return { value: one ?? null };
    default:
      return { selected_option: one === undefined ? null : pick(one) };
  }
}

/** A modal's submission with what was filled in. */
export function submission(maker: Maker, view: View, user: User, values: JsonObject): Made {
  const triggerId = maker.triggers.mint({ team: view.team, user: user.id, view: view.id });
  const payload = {
    type: 'view_submission',
    ...acting(maker, user, view.team),
    trigger_id: triggerId,
    view: viewJson(maker.state, view, values),
    response_urls: [],
  };
  return { payload, triggerId, responseUrl: undefined };
}

/** A modal that a person dismissed; Slack tells only where the view has `notify_on_close`. */
export const closing = (maker: Maker, view: View, user: User, cleared: boolean): JsonObject => ({
  type: 'view_closed',
  ...acting(maker, user, view.team),
  view: viewJson(maker.state, view),
  is_cleared: cleared,
});

/** A slash command: no JSON over HTTP, but a form of these fields. */
export function slash(maker: Maker, of: { command: string; text: string; channel: string; user: User }): Made {
  const { state } = maker;
  const channel = state.channels.get(of.channel);
  if (channel === undefined) throw new Error(`there is no channel ${of.channel} to type a command in`);
  const home = channel.team;
  const team = state.teams.get(home);
  const triggerId = maker.triggers.mint({ team: home, user: of.user.id });
  const responseUrl = maker.urls.mint({ kind: 'commands', team: home, channel: channel.id, user: of.user.id });
  const payload = {
    token: VERIFICATION_TOKEN,
    ...{ team_id: of.user.team, team_domain: team?.domain ?? '' },
    ...(team?.enterprise && { enterprise_id: team.enterprise.id, enterprise_name: team.enterprise.name }),
    ...{ channel_id: channel.id, channel_name: channel.kind === 'im' ? 'directmessage' : channel.name },
    ...{ user_id: of.user.id, user_name: of.user.name, command: of.command, text: of.text },
    ...{ api_app_id: state.appId, is_enterprise_install: 'false', response_url: responseUrl, trigger_id: triggerId },
  };
  return { payload, triggerId, responseUrl };
}

/** An event of the Events API in its envelope. */
export const eventCallback = ({ state }: Maker, team: string, event: JsonObject): JsonObject => ({
  token: VERIFICATION_TOKEN,
  ...{ team_id: team, api_app_id: state.appId, type: 'event_callback' },
  event: isObject(event) ? event : {},
  event_id: `Ev${String(state.next()).padStart(9, '0')}`,
  event_time: Math.floor(state.now().getTime() / 1000),
  authorizations: [
    { enterprise_id: null, team_id: team, user_id: state.botUserId, is_bot: true, is_enterprise_install: false },
  ],
  is_ext_shared_channel: false,
});
