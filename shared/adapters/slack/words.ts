/** A word of a command as it was meant, and where it stood in the text. */
export interface Word {
  readonly text: string;
  /** Where the text goes on after it. */
  readonly end: number;
}

/** What Slack makes of `&`, `<` and `>` in what people type (docs.slack.dev/messaging/formatting-message-text). */
const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Slack's own markup around what it took for a link or a name: `<http://x.io|x.io>`, `<@U1|ann>`, `<#C1|ops>`. */
const MARKUP = /<([@#!][^<>|\s]+|[a-z]+:[^<>|\s]+)(?:\|([^<>]*))?>/gi;

/**
 * What somebody typed, without what Slack put around it: links are the words they were made of. The markup goes first: a
 * `<` that a person typed is an entity still, and makes none.
 */
export const typedText = (text: string): string =>
  text
    .replace(MARKUP, (_all, target: string, label: string | undefined) => label || target.replace(/^mailto:/, ''))
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Quotes, also those that phones make of plain ones. */
const OPEN = '"\'`“”„‘’«';
const CLOSE = '"\'`“”‘’»';

/** The words of a text that `typedText` gave. What stands in quotes is one word; quotes that do not close are left out. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const word = quoted(text, at) ?? bare(text, at);
    if (word.text !== '') words.push(word);
    at = word.end;
  }
  return words;
}

function quoted(text: string, from: number): Word | undefined {
  if (!OPEN.includes(text[from] ?? ' ')) return undefined;
  for (let at = from + 1; at < text.length; at++) {
    const isLast = at + 1 === text.length || text[at + 1] === ' ';
    if (CLOSE.includes(text[at] ?? ' ') && isLast) return { text: text.slice(from + 1, at).trim(), end: at + 1 };
  }
  return undefined;
}

function bare(text: string, from: number): Word {
  const space = text.indexOf(' ', from);
  const end = space < 0 ? text.length : space;
  return { text: strip(text.slice(from, end)), end };
}

function strip(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && OPEN.includes(word[from] ?? ' ')) from += 1;
  while (to > from && CLOSE.includes(word[to - 1] ?? ' ')) to -= 1;
  return word.slice(from, to);
}
