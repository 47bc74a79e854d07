import type { JsonObject } from '../../../shared/objects.ts';
import { objectsIn, stringAt, wire } from './blocks/walk.ts';

/** Something in a message that Slack makes alive: it notifies somebody, leads somewhere, or names somebody. */
export interface Entity {
  readonly kind: 'broadcast' | 'user' | 'group' | 'channel' | 'link' | 'date' | 'special';
  /** As it stands in the message: `<!channel>`, `https://x.test`. */
  readonly text: string;
  /** What it leads to: an id, a range, or a URL. */
  readonly to: string;
  /** JSON pointer of the string it stands in: `/text`, `/blocks/0/text/text`. */
  readonly at: string;
  /** Whether Slack found it by itself in plain words, with no brackets around it. */
  readonly auto: boolean;
}

/** A message as far as markup goes. `parse` and `linkNames` are chat.postMessage's arguments. */
export interface Marked {
  readonly text?: string | undefined;
  readonly blocks?: unknown;
  readonly parse?: string | undefined;
  readonly linkNames?: boolean | undefined;
  readonly mrkdwn?: boolean | undefined;
}

/**
 * Every active entity of a message: in its fallback text, in mrkdwn objects and markdown blocks, in rich text elements
 * that are not text, and the URLs of buttons. plain_text and rich text's `text` elements have none.
 * Source: docs.slack.dev/messaging/formatting-message-text.
 */
export function entitiesOf({ text, blocks, parse, linkNames, mrkdwn }: Marked): Entity[] {
  const found: Entity[] = [];
  if (text !== undefined) {
    if (mrkdwn !== false) found.push(...bracketed(text, '/text'));
    if (parse !== 'none') found.push(...automatic(text, '/text'));
    if (parse === 'full' || linkNames === true) found.push(...named(text, '/text'));
  }
  for (const { object, at } of objectsIn(wire(blocks), '/blocks')) found.push(...entitiesIn(object, at));
  return found;
}

/** The active entities of a modal. */
export const entitiesOfView = (view: unknown): Entity[] =>
  [...objectsIn(wire(view))].flatMap(({ object, at }) => entitiesIn(object, at));

function entitiesIn(object: JsonObject, at: string): Entity[] {
  const text = stringAt(object, 'text') ?? '';
  switch (object.type) {
    case 'mrkdwn':
      return [
        ...bracketed(text, `${at}/text`),
        // `verbatim` keeps Slack from touching plain words; the default does not.
        ...(object.verbatim === true ? [] : [...automatic(text, `${at}/text`), ...named(text, `${at}/text`)]),
      ];
    case 'markdown':
      return [...bracketed(text, `${at}/text`), ...automatic(text, `${at}/text`), ...inMarkdown(text, `${at}/text`)];
    case 'user':
      return element('user', object, 'user_id', at);
    case 'usergroup':
      return element('group', object, 'usergroup_id', at);
    case 'channel':
      return element('channel', object, 'channel_id', at);
    case 'broadcast':
      return element('broadcast', object, 'range', at);
    case 'date':
    case 'link':
    case 'button':
      return element('link', object, 'url', at);
    default:
      // An overflow menu's option may lead somewhere; it has no type.
      return object.value !== undefined ? element('link', object, 'url', at) : [];
  }
}

function element(kind: Entity['kind'], object: JsonObject, key: string, at: string): Entity[] {
  const to = stringAt(object, key);
  return to === undefined ? [] : [{ kind, text: to, to, at: `${at}/${key}`, auto: false }];
}

/** Slack's own notation. A label after `|` hides what stands before it. Code spans do not disarm it. */
function bracketed(text: string, at: string): Entity[] {
  return [...text.matchAll(/<([^<>\n]+)>/g)].flatMap(([whole, inner = '']) => {
    const [target = ''] = inner.split('|');
    const kind = kindOf(target);
    return kind === undefined ? [] : [{ kind, text: whole, to: target, at, auto: false }];
  });
}

function kindOf(target: string): Entity['kind'] | undefined {
  if (/^!(channel|here|everyone|group)$/.test(target)) return 'broadcast';
  if (/^!subteam\^/.test(target)) return 'group';
  if (/^!date\^/.test(target)) return 'date';
  if (target.startsWith('!')) return 'special';
  if (/^@[UW]/.test(target)) return 'user';
  if (/^#[CGD]/.test(target)) return 'channel';
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? 'link' : undefined;
}

/** Top-level domains that a bare name is taken for a link with; Slack's own list is longer and not published. */
const DOMAINS = 'com|net|org|io|dev|app|ai|co|me|sh|cloud|info|xyz|gg|tv|eu|de|uk|fr|ch|ru|cn|us|gov|edu|biz';
const AUTOMATIC = new RegExp(
  [
    String.raw`\b(?:https?|ftp|mailto|tel|slack):(?:\/\/)?[^\s<>|]+`,
    String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
    String.raw`\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:${DOMAINS})(?![\w-])(?:\/[^\s<>|]*)?`,
  ].join('|'),
  'gi',
);

/** What Slack links by itself: URLs, addresses and bare domain names outside of brackets. */
function automatic(text: string, at: string): Entity[] {
  const bare = text.replace(/<[^<>\n]+>/g, ' ');
  return [...bare.matchAll(AUTOMATIC)].map(([found]) => ({ kind: 'link', text: found, to: found, at, auto: true }));
}

/** Names that `parse=full`, `link_names` and mrkdwn without `verbatim` bring to life. */
function named(text: string, at: string): Entity[] {
  const bare = text.replace(/<[^<>\n]+>/g, ' ');
  return [...bare.matchAll(/(?<![\w&])(?:@(here|channel|everyone)\b|#([a-z0-9][a-z0-9_-]*))/gi)].flatMap(
    ([found, range, channel]): Entity[] => {
      if (range !== undefined) return [{ kind: 'broadcast', text: found, to: range, at, auto: true }];
      // A number is no channel.
      return channel === undefined || /^\d+$/.test(channel)
        ? []
        : [{ kind: 'channel', text: found, to: channel, at, auto: true }];
    },
  );
}

const inMarkdown = (text: string, at: string): Entity[] =>
  [...text.matchAll(/\[[^\]\n]*\]\(([^)\s]+)[^)]*\)/g)].map(([found, to = '']) => ({
    kind: 'link',
    text: found,
    to,
    at,
    auto: false,
  }));
