/**
 * Slack's published limits, as data. Lengths are in UTF-16 code units, the strictest reading of "characters"; times are
 * in milliseconds. Sources: [ref] Block Kit reference, docs.slack.dev/reference/block-kit and the field descriptions of
 * `@slack/types` 3.2.0; [py] the validators of slack_sdk 3.47.0's models; [rates] docs.slack.dev/apis/web-api/rate-limits;
 * others are named where they stand.
 */
export const LIMITS = {
  message: {
    /** [ref] blocks */
    blocks: 50,
    /** docs.slack.dev/changelog/2018-truncating-really-long-messages: longer text is cut; the double refuses it. */
    text: 40_000,
    /** All text of all blocks. Published nowhere; measured in github.com/slackapi/bolt-js/issues/2509. */
    allText: 13_200,
    /** [ref] markdown block: cumulative over a message. */
    markdown: 12_000,
    /** [ref] table block: one per message, and this many characters in all of its cells. */
    tables: 1,
    tableText: 10_000,
  },
  view: {
    /** [ref] and [py] views */
    blocks: 100,
    title: 24,
    button: 24,
    privateMetadata: 3_000,
    callbackId: 255,
    externalId: 255,
    /** docs.slack.dev/reference/methods/views.open, `view_too_large` */
    bytes: 250_000,
    /** docs.slack.dev/reference/methods/views.push, `push_limit_reached` */
    stack: 3,
  },
  blockId: 255,
  actionId: 255,
  /** [ref] text object: 1 to 3,000 */
  text: 3_000,
  section: { fields: 10, field: 2_000 },
  header: 150,
  context: 10,
  actions: 25,
  image: { url: 3_000, alt: 2_000, title: 2_000 },
  input: { label: 2_000, hint: 2_000 },
  table: { rows: 100, cells: 20, settings: 20 },
  list: { indent: 8 },
  button: { text: 75, value: 2_000, url: 3_000, label: 75 },
  confirm: { title: 100, text: 300, button: 30 },
  placeholder: 150,
  option: { text: 75, value: 150, description: 75, url: 3_000 },
  options: { select: 100, groups: 100, groupLabel: 75, choice: 10, overflow: 5 },
  plainTextInput: 3_000,
  /** docs.slack.dev/interactivity/handling-user-interaction */
  acknowledgeWithin: 3_000,
  triggerLives: 3_000,
  responseUrl: { uses: 5, lives: 30 * 60_000 },
  /** docs.slack.dev/apis/events-api: delays of the three further deliveries */
  eventRetries: [0, 60_000, 5 * 60_000],
  /** docs.slack.dev/apis/events-api/using-socket-mode */
  sockets: 10,
} as const;

/** [rates] How often a method may be called. `perMinute` counts per method, workspace and app. */
export type Rate = { readonly perMinute: number } | { readonly perSecondAndChannel: number } | 'special';

const tier1: Rate = { perMinute: 1 };
const tier2: Rate = { perMinute: 20 };
const tier3: Rate = { perMinute: 50 };
const tier4: Rate = { perMinute: 100 };

/**
 * The rate of each method, from its page under docs.slack.dev/reference/methods. `special` is "hundreds per minute":
 * the double never limits it.
 */
export const RATES: Readonly<Record<string, Rate>> = {
  'apps.connections.open': tier1,
  'auth.test': 'special',
  'chat.delete': tier3,
  'chat.getPermalink': 'special',
  'chat.postEphemeral': tier4,
  'chat.postMessage': { perSecondAndChannel: 1 },
  'chat.update': tier3,
  'conversations.history': tier3,
  'conversations.info': tier3,
  'conversations.open': tier3,
  'conversations.replies': tier3,
  'usergroups.list': tier2,
  'usergroups.users.list': tier2,
  'users.info': tier4,
  'views.open': tier4,
  'views.push': tier4,
  'views.update': tier4,
};
