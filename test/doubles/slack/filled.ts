import type { JsonObject } from '../../../shared/objects.ts';
import { objectsAt, stringAt } from './blocks/walk.ts';
import { chosen } from './payloads.ts';
import type { View } from './state.ts';

/** What a person fills in: by `action_id`, or by `block_id.action_id` where two blocks have the same one. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;

/**
 * `view.state.values` of a submission. Throws where Slack's client would not let the person submit: no submit button, a
 * required input left empty, a text too short or too long, an input that is not there.
 */
export function stateOf(view: View, filled: Filled): JsonObject {
  if (view.content.submit === undefined) throw new Error(`view ${view.id} has no button to submit it with`);
  const inputs = objectsAt(view.content, 'blocks').filter(({ type }) => type === 'input');
  const used = new Set<string>();
  const values = inputs.map((block): [string, JsonObject] => {
    const element = objectsAt({ element: [block.element ?? null] }, 'element')[0] ?? {};
    const [blockId, actionId] = [stringAt(block, 'block_id') ?? '', stringAt(element, 'action_id') ?? ''];
    const key = `${blockId}.${actionId}` in filled ? `${blockId}.${actionId}` : actionId;
    used.add(key);
    const given = filled[key] ?? stringAt(element, 'initial_value');
    mustFit(block, element, given);
    return [blockId, { [actionId]: { type: element.type ?? '', ...chosen(element, given) } }];
  });
  const lost = Object.keys(filled).filter((key) => !used.has(key));
  if (lost.length > 0) throw new Error(`view ${view.id} has no input named ${lost.join(', ')}`);
  return Object.fromEntries(values);
}

function mustFit(block: JsonObject, element: JsonObject, given: string | readonly string[] | undefined): void {
  const name = String(element.action_id);
  if ((given === undefined || given.length === 0) && block.optional !== true)
    throw new Error(`${name} must be filled in`);
  if (element.type !== 'plain_text_input' || typeof given !== 'string') return;
  const { min_length: min, max_length: max } = element;
  if (typeof min === 'number' && given.length < min) throw new Error(`${name} needs ${min} characters or more`);
  if (typeof max === 'number' && given.length > max) throw new Error(`${name} takes ${max} characters at most`);
}
