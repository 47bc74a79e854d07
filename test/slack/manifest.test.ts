import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'infra', 'slack', 'manifest.yaml'), 'utf8');

/** What of a manifest Gleaner sets, with Slack's limits (docs.slack.dev/reference/app-manifest). */
const Manifest = z.strictObject({
  _metadata: z.strictObject({ major_version: z.union([z.literal(1), z.literal(2)]) }),
  display_information: z.strictObject({
    name: z.string().max(35),
    description: z.string().max(140),
    background_color: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  features: z.strictObject({
    bot_user: z.strictObject({ display_name: z.string().regex(/^[\w.-]{1,80}$/), always_online: z.boolean() }),
    app_home: z.strictObject({ home_tab_enabled: z.literal(false), messages_tab_enabled: z.literal(false) }),
    slash_commands: z.array(
      z.strictObject({
        command: z.string().regex(/^\/\w{1,31}$/),
        description: z.string().max(2000),
        usage_hint: z.string().max(1000),
        should_escape: z.boolean(),
      }),
    ),
  }),
  oauth_config: z.strictObject({
    scopes: z.strictObject({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }),
  }),
  settings: z.strictObject({
    interactivity: z.strictObject({ is_enabled: z.literal(true) }),
    socket_mode_enabled: z.literal(true),
    org_deploy_enabled: z.boolean(),
    token_rotation_enabled: z.literal(false),
  }),
});
const manifest = Manifest.parse(parse(text));
const { bot, bot_optional: optional } = manifest.oauth_config.scopes;

/**
 * The bot scopes that each method of the Web API needs, one of each list, as its page
 * docs.slack.dev/reference/methods/METHOD says; an empty list: none, or one of the app token.
 */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'apps.connections.open': [],
  'auth.test': [],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.info': ['channels:read', 'groups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.info': ['users:read'],
  'views.open': [],
  'views.update': [],
};
/** What no method needs: a slash command does (docs.slack.dev/reference/scopes/commands). */
const BESIDES = ['commands'];
/** Methods that Gleaner can do without: groups are asked where the policy names one, channels by the doctor alone. */
const DISPENSABLE = ['usergroups.users.list', 'conversations.info'];

/** Every name of a method that stands in the adapter. */
function called(): string[] {
  const families =
    'admin|api|apps|auth|bookmarks|bots|calls|canvases|chat|conversations|dnd|emoji|files|migration|oauth|openid|pins|reactions|reminders|search|stars|team|usergroups|users|views|workflows';
  const method = new RegExp(`['"\`]((?:${families})(?:\\.[a-zA-Z]+)+)['"\`]`, 'g');
  const files = globSync('shared/{adapters/slack,runtime,worlds}/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(method)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names)].sort();
}

describe('The manifest of the Slack app', () => {
  it('asks for the scopes of the methods that Gleaner calls, and for no other', () => {
    const methods = called();
    expect(methods.filter((name) => !(name in NEEDS))).toEqual([]);

    const needed = methods.flatMap((name) => NEEDS[name] ?? []);
    expect([...bot, ...optional].sort()).toEqual([...new Set([...needed, ...BESIDES])].sort());
  });

  it('asks for what can be done without as optional', () => {
    const must = called()
      .filter((name) => !DISPENSABLE.includes(name))
      .flatMap((name) => NEEDS[name] ?? []);

    expect([...bot].sort()).toEqual([...new Set([...must, ...BESIDES])].sort());
  });

  it('knows no method that Gleaner does not call', () => {
    expect(Object.keys(NEEDS).filter((name) => !called().includes(name))).toEqual([]);
  });

  it('says of each scope what it is for', () => {
    const lines = text.split('\n').map((line) => line.trim());
    const silent = [...bot, ...optional].filter((scope) => !lines[lines.indexOf(`- ${scope}`) - 1]?.startsWith('# '));

    expect(bot.length + optional.length).toBeGreaterThan(4);
    expect(silent).toEqual([]);
  });

  it('reads nobody’s messages', () => {
    expect(text).not.toMatch(/event_subscriptions|:history|im:|chat:write\.public:|files:|admin/);
  });
});
