import * as z from 'zod';

/** The part of Slack's Block Kit that Gleaner uses. What is not known here cannot be looked at before it is sent. */
const PlainText = z.strictObject({
  type: z.literal('plain_text'),
  text: z.string(),
  emoji: z.boolean().optional(),
});

export const Confirm = z.strictObject({
  title: PlainText,
  text: PlainText,
  confirm: PlainText,
  deny: PlainText,
  style: z.enum(['primary', 'danger']).optional(),
});
export type Confirm = z.infer<typeof Confirm>;

export const Button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string(),
  text: PlainText,
  value: z.string(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: Confirm.optional(),
});
export type Button = z.infer<typeof Button>;

const style = z.strictObject({ bold: z.boolean().optional(), code: z.boolean().optional() }).optional();
export const RichElement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), style }),
  z.strictObject({ type: z.literal('emoji'), name: z.string() }),
  z.strictObject({ type: z.literal('user'), user_id: z.string() }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string() }),
  z.strictObject({ type: z.literal('link'), url: z.url(), text: z.string().optional() }),
]);
export type RichElement = z.infer<typeof RichElement>;

const elements = z.array(RichElement);
const RichSection = z.strictObject({ type: z.literal('rich_text_section'), elements });
export const RichPart = z.discriminatedUnion('type', [
  RichSection,
  z.strictObject({ type: z.literal('rich_text_quote'), elements }),
  z.strictObject({ type: z.literal('rich_text_preformatted'), elements }),
  z.strictObject({
    type: z.literal('rich_text_list'),
    style: z.enum(['bullet', 'ordered']),
    elements: z.array(RichSection),
  }),
]);
export type RichPart = z.infer<typeof RichPart>;

export const Block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: PlainText }),
  z.strictObject({ type: z.literal('section'), text: PlainText, accessory: Button.optional() }),
  z.strictObject({ type: z.literal('rich_text'), elements: z.array(RichPart) }),
  z.strictObject({ type: z.literal('context'), elements: z.array(PlainText) }),
  z.strictObject({ type: z.literal('actions'), elements: z.array(Button) }),
  z.strictObject({ type: z.literal('divider') }),
  z.strictObject({
    type: z.literal('input'),
    block_id: z.string(),
    label: PlainText,
    hint: PlainText.optional(),
    element: z.looseObject({ type: z.literal('plain_text_input'), multiline: z.boolean().optional() }),
  }),
]);
export type Block = z.infer<typeof Block>;

export const Message = z.strictObject({ text: z.string(), blocks: z.array(Block) });
export const Modal = z.looseObject({
  type: z.literal('modal'),
  title: PlainText,
  submit: PlainText.optional(),
  close: PlainText.optional(),
  blocks: z.array(Block),
});
