import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { blockId, url } from './composition.ts';

const textStyle = z
  .strictObject({
    bold: z.boolean().optional(),
    code: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style: textStyle });
const link = z.strictObject({
  type: z.literal('link'),
  url: url(LIMITS.button.url),
  text: z.string().min(1).optional(),
  unsafe: z.boolean().optional(),
  style: textStyle,
});

const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('emoji'), name: z.string().min(1), unicode: z.string().optional() }),
  z.strictObject({ type: z.literal('user'), user_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal('team'), team_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style: textStyle }),
  z.strictObject({ type: z.literal('color'), value: z.string().min(1), style: textStyle }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: z.string().min(1),
    url: url(LIMITS.button.url).optional(),
    fallback: z.string().optional(),
    style: textStyle,
  }),
]);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline).min(1) });

/** A rich text block; what it says is never read as markup. */
export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: blockId,
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section).min(1),
          indent: z.int().min(0).max(LIMITS.list.indent).optional(),
          offset: z.int().min(0).optional(),
          border,
        }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(z.discriminatedUnion('type', [text, link])).min(1),
          border,
        }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline).min(1), border }),
      ]),
    )
    .min(1),
});
