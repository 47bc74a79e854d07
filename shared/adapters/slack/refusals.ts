import type { Failed } from './web-api.ts';

/**
 * What a refusal is about: what was sent (`content`: it is shown plainly instead), a message that is not there or that
 * may not be changed any more (`gone`: it is posted anew), or the channel, the token or the app (`channel`: somebody must
 * mend it, and it is tried again meanwhile).
 */
export type About = 'content' | 'gone' | 'channel';

/** The errors of chat.postMessage and chat.update by what they are about (docs.slack.dev/reference/methods). */
const CONTENT = new Set([
  ...['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long', 'no_text', 'too_many_blocks'],
  ...['invalid_attachments', 'too_many_attachments', 'attachment_payload_limit_exceeded', 'block_mismatch'],
  ...['markdown_text_conflict', 'invalid_arguments', 'invalid_array_arg'],
]);
const GONE = new Set([
  ...['message_not_found', 'cant_update_message', 'edit_window_closed', 'thread_not_found', 'cannot_reply_to_message'],
]);

export function about(code: string): About {
  if (CONTENT.has(code)) return 'content';
  return GONE.has(code) ? 'gone' : 'channel';
}

/** What a person does about a refusal, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  not_in_channel: 'invite the app: type /invite @Gleaner in the channel',
  channel_not_found: 'check the id in gleaner.yaml; in a private channel type /invite @Gleaner',
  is_archived: 'unarchive the channel, or name another one in gleaner.yaml',
  is_inactive: 'unarchive the channel, or name another one in gleaner.yaml',
  token_revoked: 'install the app again and set the new SLACK_BOT_TOKEN',
  token_expired: 'turn token rotation off in the settings of the app, install it again and set the new SLACK_BOT_TOKEN',
  invalid_auth: 'set SLACK_BOT_TOKEN to the bot token of the app (xoxb-…), under OAuth & Permissions',
  not_authed: 'set SLACK_BOT_TOKEN to the bot token of the app (xoxb-…), under OAuth & Permissions',
  account_inactive: 'the app was removed from the workspace: install it again and set the new SLACK_BOT_TOKEN',
  not_allowed_token_type: 'the bot token begins with xoxb-, the app token with xapp-: check that they are not swapped',
  missing_scope: 'add the scope under OAuth & Permissions and install the app again',
  no_permission: 'install the app again with the scopes of infra/slack/manifest.yaml',
  ekm_access_denied: 'an administrator of the workspace has suspended posting: ask there',
  restricted_action: 'a setting of the workspace keeps apps from posting in the channel: ask an administrator',
  restricted_action_read_only_channel: 'allow the app to post in the settings of the channel',
  restricted_action_thread_only_channel: 'allow the app to post in the settings of the channel',
  restricted_action_non_threadable_channel: 'allow threads in the settings of the channel',
  plan_upgrade_required: 'user groups need a paid plan of Slack: name the users themselves (slack:U…) in gleaner.yaml',
  paid_only: 'user groups need a paid plan of Slack: name the users themselves (slack:U…) in gleaner.yaml',
};

/** Why a call failed, and what a person does about it. */
export function failureOf(failed: Failed): string {
  if (failed.is !== 'refused') return failed.because;
  const scopes = failed.needed === undefined ? '' : ` (${failed.needed})`;
  const what = Object.hasOwn(REMEDIES, failed.code) ? `; ${REMEDIES[failed.code]}` : '';
  return `${failed.because}${scopes}${what}`;
}
