import type * as z from 'zod';
import type { JsonObject } from '../../../../shared/objects.ts';
import { LIMITS } from '../limits.ts';
import { messageBlocks, modal } from './layout.ts';
import { objectsAt, objectsIn, stringAt, wire } from './walk.ts';

/** Why Slack would refuse: the name of the error and, for each fault, a line that ends in a JSON pointer. */
export interface Refusal {
  readonly error: 'invalid_blocks' | 'invalid_arguments' | 'msg_blocks_too_long' | 'msg_too_long' | 'view_too_large';
  readonly messages: readonly string[];
}

/** What a message or a view may not be; undefined where Slack would take it. */
export type Verdict = Refusal | undefined;

/** Reads the blocks of a message as Slack does. */
export function checkBlocks(given: unknown): Verdict {
  const blocks = wire(given);
  const read = messageBlocks.safeParse(blocks, { reportInput: true });
  if (!read.success) return { error: 'invalid_blocks', messages: faults(read.error, '/blocks') };
  const items = objectsAt({ blocks: blocks ?? [] }, 'blocks');
  const doubled = repeatedIds(items, '/blocks');
  if (doubled.length > 0) return { error: 'invalid_blocks', messages: doubled };
  const tables = items.filter(({ type }) => type === 'table');
  if (tables.length > LIMITS.message.tables) return only('invalid_blocks', 'only one table is allowed', '/blocks');
  if (lengthOf(tables) > LIMITS.message.tableText) return tooLong('the cells of the table', LIMITS.message.tableText);
  if (lengthOf(items.filter(({ type }) => type === 'markdown')) > LIMITS.message.markdown)
    return tooLong('the markdown blocks', LIMITS.message.markdown);
  if (lengthOf(items) > LIMITS.message.allText) return tooLong('the text of all blocks', LIMITS.message.allText);
  return undefined;
}

/** Reads a whole message: its blocks and its fallback text. */
export function checkMessage({ text, blocks }: { text?: string; blocks?: unknown }): Verdict {
  if ((text?.length ?? 0) > LIMITS.message.text)
    return { error: 'msg_too_long', messages: [`text has more than ${LIMITS.message.text} characters`] };
  return blocks === undefined ? undefined : checkBlocks(blocks);
}

/** Reads a modal as Slack does. */
export function checkView(given: unknown): Verdict {
  const view = wire(given);
  const size = Buffer.byteLength(JSON.stringify(view ?? null));
  if (size > LIMITS.view.bytes) return { error: 'view_too_large', messages: [`the view has ${size} bytes`] };
  const read = modal.safeParse(view, { reportInput: true });
  if (!read.success) return { error: 'invalid_arguments', messages: faults(read.error, '/view') };
  const doubled = [...objectsIn(view)]
    .slice(0, 1)
    .flatMap(({ object }) => repeatedIds(objectsAt(object, 'blocks'), '/view/blocks'));
  return doubled.length > 0 ? { error: 'invalid_arguments', messages: doubled } : undefined;
}

const only = (error: Refusal['error'], what: string, at: string): Refusal => ({
  error,
  messages: [`[ERROR] ${what} [json-pointer:${at}]`],
});

const tooLong = (what: string, limit: number): Refusal => ({
  error: 'msg_blocks_too_long',
  messages: [`[ERROR] ${what} must be less than ${limit + 1} characters [json-pointer:/blocks]`],
});

/** The characters of every `text` that a person would read. */
function lengthOf(blocks: readonly JsonObject[]): number {
  let sum = 0;
  for (const { object } of objectsIn(blocks)) sum += stringAt(object, 'text')?.length ?? 0;
  return sum;
}

/** [ref] `block_id` is unique in a message, `action_id` in its block. */
function repeatedIds(blocks: readonly JsonObject[], at: string): string[] {
  const seen = new Set<string>();
  return blocks.flatMap((block, index) => {
    const id = stringAt(block, 'block_id');
    const repeated = id !== undefined && seen.has(id);
    if (id !== undefined) seen.add(id);
    const actions = repeatedActions(block, `${at}/${index}`);
    return repeated
      ? [`[ERROR] block_id already exists: ${id} [json-pointer:${at}/${index}/block_id]`, ...actions]
      : actions;
  });
}

function repeatedActions(block: JsonObject, at: string): string[] {
  const seen = new Set<string>();
  return [...objectsIn(block)].flatMap(({ object, at: inside }) => {
    const id = stringAt(object, 'action_id');
    if (id === undefined) return [];
    if (seen.has(id)) return [`[ERROR] action_id already exists: ${id} [json-pointer:${at}${inside}/action_id]`];
    seen.add(id);
    return [];
  });
}

type Issue = z.core.$ZodIssue;

const faults = (error: z.ZodError, root: string): string[] => error.issues.flatMap((issue) => faultsOf(issue, root));

/** One issue in the words that Slack uses in `response_metadata.messages`. */
function faultsOf(issue: Issue, root: string): string[] {
  const path = issue.path.map(String);
  const at = (steps: readonly string[]) => `[json-pointer:${[root, ...steps].join('/')}]`;
  const last = path.at(-1) ?? '';
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `[ERROR] invalid additional property: ${key} ${at(path)}`);
  if (issue.input === undefined && issue.code !== 'custom')
    return [`[ERROR] missing required field: ${last} ${at(path.slice(0, -1))}`];
  return [`[ERROR] ${wordsOf(issue)} ${at(path)}`];
}

function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
      return issue.origin === 'array'
        ? `no more than ${issue.maximum} items allowed`
        : `must be ${issue.maximum} or less`;
    case 'too_small':
      if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
      return issue.origin === 'array'
        ? `no less than ${issue.minimum} items allowed`
        : `must be ${issue.minimum} or more`;
    case 'invalid_union':
      return `unsupported type: ${typeOf(issue.input)}`;
    default:
      return issue.message;
  }
}

const typeOf = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'type' in input ? String(input.type) : JSON.stringify(input);
