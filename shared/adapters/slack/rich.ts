import type {
  RichTextBlock,
  RichTextBlockElement,
  RichTextElement,
  RichTextList,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
} from '@slack/types';
import type { Principal } from '../../model.ts';
import { SLACK } from './limits.ts';
import { clean, cut, line } from './plain.ts';

/** Text that is shown as it is: Slack reads no markup in it. One line. */
export const says = (text: string, limit: number = SLACK.text): RichTextElement => ({
  type: 'text',
  text: line(text, limit),
});
export const bold = (text: string, limit: number = SLACK.text): RichTextElement => ({
  type: 'text',
  text: line(text, limit),
  style: { bold: true },
});
export const code = (text: string, limit = 200): RichTextElement => ({
  type: 'text',
  text: line(text, limit),
  style: { code: true },
});
/** Our own words, with their spaces. */
export const words = (text: string): RichTextElement => ({ type: 'text', text });

/** A link to an https address; anything else is shown as text. */
export function link(address: string, text = address): RichTextElement {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || address.length > SLACK.text) return says(text, 300);
  return { type: 'link', url: url.href, text: line(text, 300) };
}

/**
 * Who a principal is. Slack's own people and groups become mentions, for only so does Slack show their names: give it
 * principals of the record and of the policy, never free text.
 */
export function person(who: Principal): RichTextElement {
  const [kind, ...rest] = who.split(':');
  const name = rest.join(':');
  if (kind === 'slack' && /^[UW][A-Z0-9]{2,30}$/.test(name)) return { type: 'user', user_id: name };
  if (kind === 'slack-group' && /^S[A-Z0-9]{2,30}$/.test(name)) return { type: 'usergroup', usergroup_id: name };
  return bold(kind === 'hook' ? `the hook ${name}` : name, 80);
}

const NAMED = 8;

/** Several of them, with commas. */
export function people(all: readonly Principal[]): RichTextElement[] {
  const named = all.slice(0, NAMED).flatMap((who, index) => [...(index > 0 ? [words(', ')] : []), person(who)]);
  return all.length > NAMED ? [...named, words(` and ${all.length - NAMED} more`)] : named;
}

/** A sentence that may begin with a principal, as the record's own sentences do: that one becomes a name. */
export const sentence = (text: string, who: Principal | undefined, limit: number): RichTextElement[] =>
  who !== undefined && text.startsWith(who) && /^[\s:;,]/.test(text.slice(who.length))
    ? [person(who), ...afterwards(text.slice(who.length), limit)]
    : [says(text, limit)];

const afterwards = (rest: string, limit: number) =>
  rest.trim() === '' ? [] : [words(`${/^\s/.test(rest) ? ' ' : ''}${line(rest, limit)}`)];

/** Neighbours of one style as one element: each costs a frame of JSON. */
function joined(elements: readonly RichTextElement[]): RichTextElement[] {
  const all: RichTextElement[] = [];
  for (const element of elements) {
    const last = all.at(-1);
    if (last?.type === 'text' && element.type === 'text' && !last.style && !element.style)
      all[all.length - 1] = words(last.text + element.text);
    else all.push(element);
  }
  return all;
}

export const section = (...elements: RichTextElement[]): RichTextSection => ({
  type: 'rich_text_section',
  elements: joined(elements),
});
export const quote = (...elements: RichTextElement[]): RichTextQuote => ({
  type: 'rich_text_quote',
  elements: joined(elements),
});
export const bullets = (items: readonly RichTextElement[][]): RichTextList => ({
  type: 'rich_text_list',
  style: 'bullet',
  elements: items.map((elements) => section(...elements)),
});
/** Several lines in a fixed-width frame. */
export const block = (text: string, limit: number): RichTextPreformatted => ({
  type: 'rich_text_preformatted',
  elements: [{ type: 'text', text: cut(clean(text).replaceAll('\t', '  ').trimEnd(), limit) || '–' }],
});
export const rich = (...elements: RichTextBlockElement[]): RichTextBlock => ({ type: 'rich_text', elements });
