/** U+FFFD: what stands for a character that must not be shown, so that two names that differ never look the same. */
const MARK = '\u{FFFD}';

/** Cf: bidi controls, zero-width characters, soft hyphens, tags. Co: private use. U+034F and the Hangul fillers show nothing. */
const HIDDEN = /\p{Cf}|\p{Co}|\u034F|\u115F|\u1160|\u3164|\uFFA0/gu;
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** Text without control characters, with a visible mark for each invisible one; well-formed, lines kept. */
export const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n?|\u2028|\u2029|\u0085/gu, '\n')
    .replace(CONTROL, '')
    .replace(HIDDEN, MARK);

/** The same in one line. */
export const inline = (text: string) => clean(text).replace(/\s+/g, ' ').trim();

/** Slack may count `&`, `<` and `>` as their entities. */
const costOf = (character: string) =>
  character === '&' ? 5 : character === '<' || character === '>' ? 4 : character.length;

/** How many characters Slack may count. */
export const lengthOf = (text: string) => [...text].reduce((sum, character) => sum + costOf(character), 0);

/** How far back a cut looks for the end of a word. */
const WORD = 24;

/** The text, or as much of it as costs `limit`, with a mark; it ends with a word where it can, never within a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length * 5 <= limit || lengthOf(text) <= limit) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += costOf(character);
    if (used > limit) return `${/\s/.test(character) ? kept : wholeWords(kept)}…`;
    kept += character;
  }
  return text;
}

function wholeWords(text: string): string {
  const space = text.lastIndexOf(' ');
  return (space > text.length - WORD && space > 0 ? text.slice(0, space) : text).trimEnd();
}

/** One line of at most `limit` characters. Never empty: Slack refuses empty texts. */
export const line = (text: string, limit: number) => cut(inline(text), limit) || '–';

/**
 * Text for the one place that Slack reads as markup, `text` of a message: the three characters that begin an entity are
 * escaped (docs.slack.dev/messaging/formatting-message-text), and what clients link by themselves – addresses, domains,
 * mail, `@here`, `#channel` – is broken with look-alikes.
 */
export const fallback = (text: string, limit: number) =>
  line(text, limit)
    .replaceAll('@', '＠')
    .replace(/#(?=\S)/g, '＃')
    .replace(/:\/\//g, ': //')
    .replace(/\b(mailto|tel|slack):/gi, '$1 :')
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '․')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
