import type {
  ActionsBlock,
  Button,
  ContextBlock,
  HeaderBlock,
  KnownBlock,
  PlainTextElement,
  SectionBlock,
} from '@slack/types';
import { OURS, SLACK } from './limits.ts';
import { fallback, line } from './plain.ts';

/** What is posted. `text` is for notifications and screen readers: post it with `mrkdwn: false, parse: 'none'`. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Text in which Slack reads neither markup nor `:names:` of emoji. One line. */
export const plain = (text: string, limit: number): PlainTextElement => ({
  type: 'plain_text',
  text: line(text, limit),
  emoji: false,
});

export const header = (text: string): HeaderBlock => ({ type: 'header', text: plain(text, SLACK.header) });
/** Small grey print; each text stands beside the one before it. */
export const small = (...texts: readonly string[]): ContextBlock => ({
  type: 'context',
  elements: texts.slice(0, SLACK.context).map((text) => plain(text, 300)),
});
export const actions = (buttons: readonly Button[]): ActionsBlock => ({
  type: 'actions',
  elements: buttons.slice(0, SLACK.actions),
});
/** Text with a button beside it; each of `lines` is a line of its own. */
export const beside = (lines: readonly string[], limit: number, button: Button): SectionBlock => ({
  type: 'section',
  text: { type: 'plain_text', text: lines.map((each) => line(each, limit)).join('\n'), emoji: false },
  accessory: button,
});
export const DIVIDER: KnownBlock = { type: 'divider' };

export const message = (text: string, blocks: readonly KnownBlock[]): Message => ({
  text: fallback(text, OURS.fallback),
  blocks: [...blocks],
});
