import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../handler.ts';
import { plainYaml } from './plain-yaml.ts';
import { UNFAMILIAR } from './scalar.ts';

/** What a text holds: one value per document; `problems` names the parts that could not be read. */
export type Documents =
  | { readonly ok: true; readonly values: readonly Json[]; readonly problems: readonly string[] }
  | { readonly ok: false; readonly because: string };

/** Which objects somebody reads: of all others, only apiVersion and kind are kept. */
export type Wanted = (object: { apiVersion: string; kind: string }) => boolean;

/** Text that the library has to read as one piece costs about 0.4 s and 60 MB per MB. */
const LIBRARY_BOUND = 32 * 1024 * 1024;

/** YAML may start like JSON: by hand, in a few lines. */
const FLOW_BOUND = 20_000;

/** Reads JSON, or YAML of one or more documents. Throws nothing. */
export function documentsOf(text: string, wanted: Wanted): Documents {
  const start = text.trimStart();
  if (start === '') return { ok: false, because: 'is empty' };
  if (start[0] === '<') return { ok: false, because: 'is HTML or XML, not YAML or JSON' };
  return start[0] === '{' || start[0] === '[' ? json(start) : yaml(text, wanted);
}

function json(text: string): Documents {
  try {
    return { ok: true, values: [JSON.parse(text)], problems: [] };
  } catch (error) {
    const several = text.split(/^(?=\{)/m);
    const parts = several.length > 1 ? several.map((part) => json(part)) : [];
    if (parts.some((part) => part.ok)) return joined(parts);
    const inYaml = text.length < FLOW_BOUND ? read(text) : undefined;
    if (inYaml?.ok) return { ok: true, values: [inYaml.value], problems: [] };
    return { ok: false, because: `cannot be read as JSON: ${sentence(error)}` };
  }
}

/** `kubectl get … -o json` written to one file several times. */
function joined(parts: readonly Documents[]): Documents {
  return {
    ok: true,
    values: parts.flatMap((part) => (part.ok ? part.values : [])),
    problems: parts.flatMap((part, at) => (part.ok ? part.problems : [`part ${at + 1} ${part.because}`])),
  };
}

function yaml(text: string, wanted: Wanted): Documents {
  const values: Json[] = [];
  const problems: string[] = [];
  const documents = text.split(/^(?:---|\.\.\.)(?=\s|$)/m);
  for (const [at, document] of documents.entries()) {
    const said = listOf(document, wanted) ?? read(document);
    if (!said.ok) problems.push(documents.length === 1 ? said.because : `document ${at + 1} ${said.because}`);
    else if (said.value !== null) values.push(said.value);
    if (said.ok) problems.push(...(said.problems ?? []));
  }
  if (values.length > 0) return { ok: true, values, problems };
  return { ok: false, because: problems[0] ?? 'is empty' };
}

type Value =
  | { readonly ok: true; readonly value: Json; readonly problems?: readonly string[] }
  | { readonly ok: false; readonly because: string };

function read(text: string): Value {
  const value = plainYaml(text);
  if (value !== UNFAMILIAR) return { ok: true, value };
  if (text.length > LIBRARY_BOUND) {
    const size = Math.round(text.length / 1024 / 1024);
    return { ok: false, because: `is YAML of ${size} MB that is not laid out as kubectl does: use \`-o json\`` };
  }
  try {
    return { ok: true, value: parse(text, { logLevel: 'error' }) ?? null };
  } catch (error) {
    return { ok: false, because: `cannot be read as YAML: ${sentence(error)}` };
  }
}

/** A `List` laid out in blocks, read item by item: an item that cannot be read does not take the others with it. */
function listOf(document: string, wanted: Wanted): Value | undefined {
  const start = /^items:[ \t]*\n(?=( *)- )/m.exec(document);
  if (!start) return undefined;
  const pad = start[1] ?? '';
  const chunks = itemsFrom(document, start.index + start[0].length, pad);
  const frame = read(document.slice(0, start.index) + document.slice(chunks.end));
  if (!frame.ok || !isObject(frame.value)) return undefined;
  const peek = new RegExp(`^${pad}(?:- |  )(apiVersion|kind): ([\\w./-]+)$`, 'gm');
  const problems: string[] = [];
  const items = chunks.items.map((chunk, at): Json => {
    const named = Object.fromEntries([...chunk.matchAll(peek)].map(([, key, value]) => [key, value]));
    const { apiVersion, kind } = named;
    if (apiVersion !== undefined && kind !== undefined && !wanted({ apiVersion, kind })) return { apiVersion, kind };
    const item = read(chunk);
    if (!item.ok) problems.push(`items[${at}] ${item.because}`);
    return item.ok && Array.isArray(item.value) ? (item.value[0] ?? null) : SKIPPED;
  });
  return { ok: true, value: { ...frame.value, items: items.filter((item) => item !== SKIPPED) }, problems };
}

const SKIPPED: JsonObject = {};

/** The texts of the items of a block sequence: each starts with a dash in its column, and all below is indented deeper. */
function itemsFrom(text: string, from: number, pad: string): { items: string[]; end: number } {
  const items: string[] = [];
  let item = from;
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at) + 1 || text.length;
    const isDash = text.startsWith('- ', at + pad.length) && text.startsWith(pad, at);
    if (isDash && at > item) {
      items.push(text.slice(item, at));
      item = at;
    }
    if (!isDash && /[^\s#]/.test(text[at] ?? '')) return { items: [...items, text.slice(item, at)], end: at };
    at = next;
  }
  return { items: [...items, text.slice(item)], end: text.length };
}

/** The first line of what a parser says, without its drawing of the place. */
const sentence = (error: unknown) =>
  (error instanceof Error ? error.message : String(error))
    .split('\n')[0]
    ?.replace(/:$/, '')
    .replace(/, \.{3}.*(?=is not valid JSON)/, ' ')
    .slice(0, 160) ?? '';
