import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import {
  actionId,
  characters,
  choice,
  confirm,
  option,
  options,
  overflowOption,
  placeholder,
  plainText,
  style,
  url,
} from './composition.ts';

const focus = z.boolean().optional();

const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(LIMITS.button.text),
  action_id: actionId,
  value: characters(LIMITS.button.value).optional(),
  url: url(LIMITS.button.url).optional(),
  style,
  confirm,
  accessibility_label: characters(LIMITS.button.label).optional(),
});

const group = z.strictObject({
  label: plainText(LIMITS.options.groupLabel),
  options: options(option, LIMITS.options.select),
});
const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    action_id: actionId,
    placeholder,
    options: options(option, LIMITS.options.select).optional(),
    option_groups: options(group, LIMITS.options.groups).optional(),
    initial_option: option.optional(),
    confirm,
    focus_on_load: focus,
  })
  .refine((select) => (select.options === undefined) !== (select.option_groups === undefined), {
    message: 'must have exactly one of options and option_groups',
  });

const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  action_id: actionId,
  placeholder,
  initial_user: z.string().min(1).optional(),
  confirm,
  focus_on_load: focus,
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: actionId,
  options: options(overflowOption, LIMITS.options.overflow),
  confirm,
});

const radioButtons = z.strictObject({
  type: z.literal('radio_buttons'),
  action_id: actionId,
  options: options(choice, LIMITS.options.choice),
  initial_option: choice.optional(),
  confirm,
  focus_on_load: focus,
});

const checkboxes = z.strictObject({
  type: z.literal('checkboxes'),
  action_id: actionId,
  options: options(choice, LIMITS.options.choice),
  initial_options: options(choice, LIMITS.options.choice).optional(),
  confirm,
  focus_on_load: focus,
});

const dateTimePicker = z.strictObject({
  type: z.literal('datetimepicker'),
  action_id: actionId,
  initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  confirm,
  focus_on_load: focus,
});

const plainTextInput = z.strictObject({
  type: z.literal('plain_text_input'),
  action_id: actionId,
  initial_value: z.string().max(LIMITS.plainTextInput).optional(),
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(LIMITS.plainTextInput).optional(),
  max_length: z.int().min(1).max(LIMITS.plainTextInput).optional(),
  dispatch_action_config: z
    .strictObject({ trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1) })
    .optional(),
  placeholder,
  focus_on_load: focus,
});

export const imageElement = z.strictObject({
  type: z.literal('image'),
  image_url: url(LIMITS.image.url),
  alt_text: characters(LIMITS.image.alt),
});

const pickers = [staticSelect, usersSelect, radioButtons, checkboxes, dateTimePicker] as const;

export const actionElement = z.discriminatedUnion('type', [button, overflow, ...pickers]);
export const accessory = z.discriminatedUnion('type', [button, overflow, imageElement, ...pickers]);
export const inputElement = z.discriminatedUnion('type', [plainTextInput, ...pickers]);

/** The types of elements that people act on: Slack gives them an `action_id` where they have none. */
export const INTERACTIVE: ReadonlySet<string> = new Set([
  ...['button', 'overflow', 'static_select', 'users_select', 'radio_buttons', 'checkboxes', 'datetimepicker'],
  'plain_text_input',
]);
