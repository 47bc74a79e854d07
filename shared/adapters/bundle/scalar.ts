/** A scalar or a place that this reader does not know: the caller asks the YAML library instead. */
export const UNFAMILIAR = Symbol('unfamiliar');

const WORDS = new Map<string, boolean | null>([
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['~', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const OTHER_NUMBER = /^(?:0[ox]|[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)$)/;

/** What a plain (unquoted) scalar stands for in YAML 1.2's core schema. */
export function plain(text: string): string | number | boolean | null | typeof UNFAMILIAR {
  const first = text.charCodeAt(0);
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!numeric) return WORDS.get(text) ?? (WORDS.has(text) ? null : text);
  if (OTHER_NUMBER.test(text)) return UNFAMILIAR;
  return NUMBER.test(text) ? Number(text) : text;
}

/** Cuts spaces and tabs off the end, and nothing else: JavaScript's own trim takes more for white than YAML does. */
export function cutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhite(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** Cuts spaces and tabs off both ends. */
export function cut(text: string): string {
  let start = 0;
  while (start < text.length && isWhite(text.charCodeAt(start))) start++;
  return cutEnd(start === 0 ? text : text.slice(start));
}

const isWhite = (code: number) => code === 32 || code === 9;

/** Joins the lines of a scalar that was folded: one break is a space, each empty line between is a break. */
export function unfold(lines: readonly string[]): string {
  let text = lines[0] ?? '';
  let breaks = 0;
  for (const line of lines.slice(1)) {
    const content = cut(line);
    if (content === '') {
      breaks++;
      continue;
    }
    text = `${cutEnd(text)}${breaks === 0 ? ' ' : '\n'.repeat(breaks)}${content}`;
    breaks = 0;
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};

/** The value of the text between double quotes, on one line. */
export function doubleQuoted(text: string): string | typeof UNFAMILIAR {
  if (!text.includes('\\')) return text;
  let known = true;
  const value = text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g,
    (_all, x, u, U, one) => {
      const code = x ?? u ?? U;
      if (code !== undefined && Number.parseInt(code, 16) <= 0x10ffff)
        return String.fromCodePoint(Number.parseInt(code, 16));
      const escaped = one === undefined ? undefined : ESCAPES[one];
      if (escaped === undefined) known = false;
      return escaped ?? '';
    },
  );
  return known ? value : UNFAMILIAR;
}

/** Where the quoted text that starts at `text[0]` ends (the index of its closing quote); -1: on a later line. */
export function closingQuote(text: string): number {
  const quote = text[0];
  for (let at = 1; ; at++) {
    at = text.indexOf(quote ?? '"', at);
    if (at < 0) return -1;
    if (quote === "'") {
      if (text[at + 1] !== "'") return at;
      at++;
      continue;
    }
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at;
  }
}
