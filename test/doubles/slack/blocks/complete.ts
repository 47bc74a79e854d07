import { isObject, type Json, type JsonObject } from '../../../../shared/objects.ts';
import { INTERACTIVE } from './elements.ts';

/** What Slack adds to the blocks it stores: ids where there are none, and the defaults of text objects. */
export function complete(blocks: Json, mint: () => string): JsonObject[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.filter(isObject).map((block) => {
    const filled = fill(block, mint);
    return { ...filled, block_id: filled.block_id ?? mint() };
  });
}

function fill(object: JsonObject, mint: () => string): JsonObject {
  const inner = Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fillValue(value, mint)]));
  const type = object.type;
  if (type === 'plain_text') return { ...inner, emoji: inner.emoji ?? true };
  if (type === 'mrkdwn') return { ...inner, verbatim: inner.verbatim ?? false };
  if (typeof type === 'string' && INTERACTIVE.has(type)) return { ...inner, action_id: inner.action_id ?? mint() };
  return inner;
}

function fillValue(value: Json, mint: () => string): Json {
  if (Array.isArray(value)) return value.map((item) => fillValue(item, mint));
  return isObject(value) ? fill(value, mint) : value;
}
