import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { anyText, blockId, characters, mrkdwn, plainText, url } from './composition.ts';
import { accessory, actionElement, imageElement, inputElement } from './elements.ts';
import { richText } from './rich-text.ts';

const section = z
  .strictObject({
    type: z.literal('section'),
    block_id: blockId,
    text: anyText(LIMITS.text).optional(),
    fields: z.array(anyText(LIMITS.section.field)).min(1).max(LIMITS.section.fields).optional(),
    accessory: accessory.optional(),
    expand: z.boolean().optional(),
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, {
    message: 'must have one of text and fields',
  });

const header = z.strictObject({ type: z.literal('header'), block_id: blockId, text: plainText(LIMITS.header) });
const divider = z.strictObject({ type: z.literal('divider'), block_id: blockId });

const context = z.strictObject({
  type: z.literal('context'),
  block_id: blockId,
  elements: z
    .array(z.discriminatedUnion('type', [imageElement, plainText(LIMITS.text), mrkdwn(LIMITS.text)]))
    .min(1)
    .max(LIMITS.context),
});

const actions = z.strictObject({
  type: z.literal('actions'),
  block_id: blockId,
  elements: z.array(actionElement).min(1).max(LIMITS.actions),
});

const image = z.strictObject({
  type: z.literal('image'),
  block_id: blockId,
  image_url: url(LIMITS.image.url),
  alt_text: characters(LIMITS.image.alt),
  title: plainText(LIMITS.image.title).optional(),
});

const input = z.strictObject({
  type: z.literal('input'),
  block_id: blockId,
  label: plainText(LIMITS.input.label),
  element: inputElement,
  hint: plainText(LIMITS.input.hint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
});

const markdown = z.strictObject({
  type: z.literal('markdown'),
  block_id: blockId,
  text: characters(LIMITS.message.markdown),
});

const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) }),
  richText,
]);
const table = z.strictObject({
  type: z.literal('table'),
  block_id: blockId,
  rows: z.array(z.array(cell).min(1).max(LIMITS.table.cells)).min(1).max(LIMITS.table.rows),
  column_settings: z
    .array(
      z
        .strictObject({ align: z.enum(['left', 'center', 'right']).optional(), is_wrapped: z.boolean().optional() })
        .nullable(),
    )
    .max(LIMITS.table.settings)
    .optional(),
});

const everywhere = [section, header, divider, context, actions, image, input, richText] as const;

/** The blocks of a message, of the types that Gleaner may use; any other type is refused. */
export const messageBlocks = z
  .array(z.discriminatedUnion('type', [...everywhere, markdown, table]))
  .max(LIMITS.message.blocks);

/** [ref] `markdown` and `table` exist in messages only. */
const viewBlocks = z.array(z.discriminatedUnion('type', everywhere)).min(1).max(LIMITS.view.blocks);

/** A modal. `submit` is required where an input block stands (docs.slack.dev/reference/views). */
export const modal = z
  .strictObject({
    type: z.literal('modal'),
    title: plainText(LIMITS.view.title),
    blocks: viewBlocks,
    close: plainText(LIMITS.view.button).optional(),
    submit: plainText(LIMITS.view.button).optional(),
    private_metadata: z.string().max(LIMITS.view.privateMetadata).optional(),
    callback_id: z.string().max(LIMITS.view.callbackId).optional(),
    external_id: z.string().max(LIMITS.view.externalId).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
  })
  .refine((view) => view.submit !== undefined || !view.blocks.some(({ type }) => type === 'input'), {
    message: 'missing required field: submit',
  });
