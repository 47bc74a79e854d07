/**
 * What Slack takes, in characters or items. Each number is Slack's own, with where it is published; those of `OURS` are
 * stricter on purpose.
 */
export const SLACK = {
  /** docs.slack.dev/reference/block-kit/blocks: blocks of a message, and of a modal. */
  blocks: { message: 50, modal: 100 },
  /** …/composition-objects/text-object. */
  text: 3_000,
  /** …/blocks/header-block. */
  header: 150,
  /** …/blocks/actions-block, …/blocks/context-block: elements of one block. */
  actions: 25,
  context: 10,
  /** …/block-elements/button-element. */
  button: { text: 75, value: 2_000, actionId: 255, label: 75 },
  /** …/composition-objects/confirmation-dialog-object. */
  confirm: { title: 100, text: 300, button: 30 },
  /** …/blocks/input-block. */
  input: { label: 2_000, hint: 2_000, placeholder: 150, typed: 3_000 },
  /** docs.slack.dev/reference/views/modal-views. */
  view: { title: 24, button: 24, metadata: 3_000, callbackId: 255 },
} as const;

/** What we keep to. */
export const OURS = {
  /**
   * A message's blocks as JSON. Slack publishes no total; it refuses with `msg_blocks_too_long` from about 13,200
   * characters (slackapi/bolt-js#2509), and has refused rich text that held 11,341 (slackapi/bolt-js#2867): its frames
   * count, too. So the JSON is measured, which is longer than whatever Slack counts.
   */
  message: 12_000,
  /** A modal's blocks as JSON: Slack refuses a view above 250 kB (views.open, `view_too_large`). Nobody reads as much. */
  modal: 60_000,
  /** The text that notifications and screen readers get; Slack cuts at 40,000, phones show far less. */
  fallback: 600,
} as const;
