import * as z from 'zod';
import { LIMITS } from '../limits.ts';

/** Block Kit's composition objects, read strictly: a field that Slack does not know is refused. */

export const characters = (max: number) => z.string().min(1).max(max);

export const actionId = characters(LIMITS.actionId).optional();
export const blockId = characters(LIMITS.blockId).optional();
/** Slack takes only these schemes in its `url` fields. */
export const url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^(https?|mailto|tel|slack):/i, 'must be a valid URL');

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: characters(max), emoji: z.boolean().optional() });

export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: characters(max), verbatim: z.boolean().optional() });

export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

export const style = z.enum(['primary', 'danger']).optional();

export const confirm = z
  .strictObject({
    title: plainText(LIMITS.confirm.title),
    text: anyText(LIMITS.confirm.text),
    confirm: plainText(LIMITS.confirm.button),
    deny: plainText(LIMITS.confirm.button),
    style,
  })
  .optional();

export const option = z.strictObject({
  text: plainText(LIMITS.option.text),
  value: characters(LIMITS.option.value),
  description: plainText(LIMITS.option.description).optional(),
});

/** Options of radio buttons and checkboxes may be mrkdwn. */
export const choice = z.strictObject({
  text: anyText(LIMITS.option.text),
  value: characters(LIMITS.option.value),
  description: anyText(LIMITS.option.description).optional(),
});

export const overflowOption = option.extend({ url: url(LIMITS.option.url).optional() });

export const options = <S extends z.ZodType>(of: S, max: number) => z.array(of).min(1).max(max);

export const placeholder = plainText(LIMITS.placeholder).optional();
