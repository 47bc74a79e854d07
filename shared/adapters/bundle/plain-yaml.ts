import type { Json } from '../../handler.ts';
import { closingQuote, cut, cutEnd, doubleQuoted, plain, UNFAMILIAR, unfold } from './scalar.ts';

/**
 * Reads the YAML that kubectl and support bundles write (block mappings and sequences, plain, quoted and literal
 * scalars, `{}` and `[]`), some thirty times faster than the library, which a bundle of tens of megabytes needs.
 * It never guesses: for anything else (anchors, tags, flow collections, comments behind values, …) it answers
 * UNFAMILIAR, and the library reads the text instead.
 */
export function plainYaml(text: string): Json | typeof UNFAMILIAR {
  try {
    return new Reader(text).all();
  } catch (stopped) {
    // A RangeError: nested deeper than the stack, which the library then says in words.
    if (stopped === UNFAMILIAR || stopped instanceof RangeError) return UNFAMILIAR;
    throw stopped;
  }
}

const stop = (): never => {
  throw UNFAMILIAR;
};
const familiar = <T>(value: T | typeof UNFAMILIAR): T => (value === UNFAMILIAR ? stop() : value);

/** What a plain key or value cannot start with, or what this reader leaves to the library. */
const INDICATOR = /^(?:[&*!|>%@`{}[\],#]|[?-](?: |$))/;

/** What starts a comment or a mapping inside of plain text, or is no space although it looks like one. */
const ODD_INSIDE = /[ \t]#|:[ \t]|:$|\t/;

class Reader {
  private readonly lines: string[];
  private at = 0;

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  all(): Json {
    const indent = this.peek();
    if (indent < 0) return null;
    const value = this.block(indent);
    return this.peek() < 0 ? value : stop();
  }

  private line(): string {
    return this.lines[this.at] ?? '';
  }

  /** The indentation of the next line that says something, which becomes the current one; -1 at the end. */
  private peek(): number {
    for (; this.at < this.lines.length; this.at++) {
      const line = this.line();
      let indent = 0;
      while (line.charCodeAt(indent) === 32) indent++;
      const first = line.charCodeAt(indent);
      if (first === 9 || first === 13 || line.endsWith('\r')) return stop();
      if (indent < line.length && first !== 35) return indent;
    }
    return -1;
  }

  private isItem(indent: number): boolean {
    const line = this.line();
    return line.charCodeAt(indent) === 45 && (line.length === indent + 1 || line.charCodeAt(indent + 1) === 32);
  }

  private block(indent: number): Json {
    return this.isItem(indent) ? this.sequence(indent) : this.mapping(indent);
  }

  private sequence(indent: number): Json[] {
    const items: Json[] = [];
    for (let next = this.peek(); next === indent && this.isItem(indent); next = this.peek()) {
      items.push(this.item(indent));
    }
    if (this.peek() > indent) stop();
    return items;
  }

  private item(indent: number): Json {
    const line = this.line();
    let start = indent + 1;
    while (line.charCodeAt(start) === 32) start++;
    if (start >= line.length) {
      this.at++;
      const next = this.peek();
      return next > indent ? this.block(next) : null;
    }
    const rest = line.slice(start);
    if (rest.startsWith('#') || rest.startsWith('\t')) stop();
    if (rest === '-' || rest.startsWith('- ') || colonOf(rest) >= 0) {
      this.lines[this.at] = ' '.repeat(start) + rest;
      return this.block(start);
    }
    return this.value(rest, indent);
  }

  private mapping(indent: number): Json {
    const map: Record<string, Json> = {};
    for (let next = this.peek(); next === indent && !this.isItem(indent); next = this.peek()) {
      const text = this.line().slice(indent);
      const colon = colonOf(text);
      if (colon < 0) stop();
      const key = keyOf(text.slice(0, colon));
      if (Object.hasOwn(map, key) || key === '__proto__' || key === '<<') stop();
      map[key] = this.entry(cut(text.slice(colon + 1)) === '' ? '' : text.slice(colon + 1).replace(/^ +/, ''), indent);
    }
    if (this.peek() > indent) stop();
    return map;
  }

  private entry(rest: string, indent: number): Json {
    if (rest !== '') return this.value(rest, indent);
    this.at++;
    const next = this.peek();
    if (next > indent) return this.block(next);
    // kubectl does not indent the sequence of a key.
    return next === indent && this.isItem(indent) ? this.sequence(indent) : null;
  }

  /** A scalar that starts on the current line, below something that is indented by `parent`. */
  private value(rest: string, parent: number): Json {
    const first = rest[0];
    if (first === '"' || first === "'") return this.quoted(rest, parent);
    if (first === '|') return this.literal(cutEnd(rest), parent);
    this.at++;
    const text = cutEnd(rest);
    if (text === '{}') return {};
    if (text === '[]') return [];
    if (INDICATOR.test(text) || ODD_INSIDE.test(text)) stop();
    return this.plainScalar(text, parent);
  }

  private plainScalar(text: string, parent: number): Json {
    if (this.peekRaw() <= parent) return familiar(plain(text));
    const lines = [text];
    while (this.peekRaw() > parent) {
      const line = cut(this.line());
      if (line.startsWith('#') || ODD_INSIDE.test(line)) stop();
      lines.push(line);
      this.at++;
    }
    while (lines.at(-1) === '') lines.pop();
    return lines.length === 1 ? familiar(plain(text)) : unfold(lines);
  }

  /** The indentation of the current line, an empty one counting as deep as can be; -1 at the end. */
  private peekRaw(): number {
    if (this.at >= this.lines.length) return -1;
    const line = this.line();
    const indent = line.search(/[^ ]/);
    if (line.charCodeAt(indent) === 9) return stop();
    return indent < 0 ? Number.MAX_SAFE_INTEGER : indent;
  }

  private quoted(rest: string, parent: number): string {
    const quote = rest[0] ?? '';
    const lines = [rest.slice(1)];
    let end = closingQuote(rest) - 1;
    while (end < 0) {
      this.at++;
      if (this.peekRaw() <= parent) stop();
      lines.push(this.line());
      end = closingQuote(quote + this.line()) - 1;
    }
    this.at++;
    const last = lines.at(-1) ?? '';
    if (cut(last.slice(end + 1)) !== '') stop();
    lines[lines.length - 1] = last.slice(0, end);
    const text = lines.join('\n');
    return quote === '"' ? familiar(doubleQuoted(unfoldEscaped(text))) : unfoldText(text).replaceAll("''", "'");
  }

  private literal(header: string, parent: number): string {
    if (header !== '|' && header !== '|-') stop();
    this.at++;
    const indent = this.literalIndent(parent);
    const lines: string[] = [];
    for (; this.at < this.lines.length; this.at++) {
      const line = this.line();
      const here = line.search(/[^ ]/);
      if (here >= 0 && here < indent) break;
      lines.push(line.slice(indent));
    }
    return chomped(lines, header === '|-');
  }

  /** How deep the first line with content lies. One that only spaces tell, or that is not below its key, is unfamiliar. */
  private literalIndent(parent: number): number {
    let at = this.at;
    while (this.lines[at] === '') at++;
    const indent = this.lines[at]?.search(/[^ ]/) ?? -1;
    return indent > parent ? indent : stop();
  }
}

/** A literal scalar ends with one line break, or with none. */
function chomped(lines: readonly string[], isStripped: boolean): string {
  const end = lines.findLastIndex((line) => line !== '');
  return `${lines.slice(0, end + 1).join('\n')}${isStripped ? '' : '\n'}`;
}

/** Where the colon stands that ends a key; -1: the text starts with no key. */
function colonOf(text: string): number {
  if (text[0] === '"' || text[0] === "'") {
    const end = closingQuote(text);
    return end > 0 && text[end + 1] === ':' && (end + 2 === text.length || text[end + 2] === ' ') ? end + 1 : -1;
  }
  const inside = text.indexOf(': ');
  if (inside >= 0) return inside;
  return text.endsWith(':') ? text.length - 1 : -1;
}

function keyOf(text: string): string {
  if (text[0] === "'") return text.slice(1, -1).replaceAll("''", "'");
  if (text[0] === '"') return familiar(doubleQuoted(text.slice(1, -1)));
  if (INDICATOR.test(text) || ODD_INSIDE.test(text) || text.endsWith(' ')) stop();
  const key = familiar(plain(text));
  return typeof key === 'string' ? key : stop();
}

const unfoldText = (text: string) => (text.includes('\n') ? foldedLines(text) : text);

/** Folding inside quotes keeps what stands before the first break and after the last one. */
function foldedLines(text: string): string {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  if (lines.length > 1 && cut(last) === '') stop();
  return unfold([cutEnd(lines[0] ?? ''), ...lines.slice(1, -1), cutEnd(last)]) + last.slice(cutEnd(last).length);
}

/** A backslash at the end of a line swallows the break; the emitters write `\ ` where a space follows it. */
function unfoldEscaped(text: string): string {
  if (!text.includes('\n')) return text;
  if (/\\[ \t]+\n|\\\n[ \t]*\n/.test(text)) stop();
  const joined = text.replace(/(^|[^\\])((?:\\\\)*)\\\n[ \t]*/g, '$1$2');
  return unfoldText(joined);
}
