import { html, raw } from 'hono/html';
import {
  type Block,
  Button,
  type Confirm,
  Message,
  Modal,
  type RichElement,
  type RichPart,
} from './block-kit-shape.ts';
import { BLOCK_KIT_STYLE } from './block-kit-style.ts';

/** What Slack knows and the blocks do not. */
export interface Surroundings {
  /** The names of people and groups by their ids. */
  readonly names: Readonly<Record<string, string>>;
  /** When it was posted, as the client shows it, such as `1:02 PM`. */
  readonly at: string;
  readonly replies?: number;
}

type Html = ReturnType<typeof html>;

/** A message as Slack's desktop client shows it. Throws a ZodError on blocks that Gleaner does not use. */
export function blockKitMessage(message: unknown, around: Surroundings): Html {
  const { blocks } = Message.parse(message);
  const { at, replies = 0 } = around;
  return html`<article class="message">
    ${AVATAR}
    <div class="body">
      <div class="sender"><b>Gleaner</b><span class="app">APP</span><span class="at">${at}</span></div>
      ${blocks.map((block) => blockView(block, around))}
      ${replies > 0 ? html`<div class="replies"><span class="face">${MARK}</span><b>${replies} ${replies === 1 ? 'reply' : 'replies'}</b></div>` : ''}
    </div>
  </article>`;
}

/** A modal as Slack's desktop client shows it. */
export function blockKitModal(view: unknown, around: Surroundings): Html {
  const { title, submit, close, blocks } = Modal.parse(view);
  return html`<article class="modal" role="dialog">
    <header class="top"><span class="face">${MARK}</span><b>${title.text}</b><span class="x">×</span></header>
    <div class="inside">${blocks.map((block) => blockView(block, around))}</div>
    <footer class="bottom">
      ${close ? html`<span class="button">${close.text}</span>` : ''}
      ${submit ? html`<span class="button primary">${submit.text}</span>` : ''}
    </footer>
  </article>`;
}

/** What Slack asks after a press of the button; undefined where it asks nothing. */
export function blockKitConfirm(button: unknown): Html | undefined {
  const { confirm } = Button.parse(button);
  return confirm && confirmView(confirm);
}

const confirmView = ({
  title,
  text,
  confirm,
  deny,
  style = 'primary',
}: Confirm) => html`<article class="modal confirm" role="alertdialog">
    <header class="top"><b>${title.text}</b><span class="x">×</span></header>
    <div class="inside"><p class="section">${lines(text.text)}</p></div>
    <footer class="bottom"><span class="button">${deny.text}</span><span class="button ${style}">${confirm.text}</span></footer>
  </article>`;

/** Messages, modals and confirmations below each other, on Slack's light or dark ground. */
export const blockKitPage = (title: string, parts: readonly Html[], theme: 'light' | 'dark') => html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head><meta charset="utf-8" /><title>${title}</title><style>${raw(BLOCK_KIT_STYLE)}</style></head>
<body><main>${parts}</main></body>
</html>`;

function blockView(block: Block, around: Surroundings): Html {
  switch (block.type) {
    case 'header':
      return html`<h3 class="header">${block.text.text}</h3>`;
    case 'section':
      return html`<div class="section row"><p>${lines(block.text.text)}</p>${block.accessory ? buttonView(block.accessory) : ''}</div>`;
    case 'rich_text':
      return html`<div class="rich">${block.elements.map((part) => partView(part, around))}</div>`;
    case 'context':
      return html`<p class="context">${block.elements.map(({ text }) => html`<span>${text}</span>`)}</p>`;
    case 'actions':
      return html`<div class="actions">${block.elements.map(buttonView)}</div>`;
    case 'divider':
      return html`<hr />`;
    case 'input':
      return html`<div class="input"><b>${block.label.text}</b><div class="field ${block.element.multiline ? 'tall' : ''}"></div>${
        block.hint ? html`<p class="hint">${block.hint.text}</p>` : ''
      }</div>`;
  }
}

const lines = (text: string) =>
  text.split('\n').map((line, index) => (index > 0 ? html`<br />${line}` : html`${line}`));

const buttonView = ({ text, style, value, confirm }: Button) =>
  html`<span class="button ${style ?? ''}" data-value="${value}" data-asks="${confirm ? 'yes' : 'no'}">${text.text}</span>`;

function partView(part: RichPart, around: Surroundings): Html {
  switch (part.type) {
    case 'rich_text_section':
      return html`<p>${elementViews(part.elements, around)}</p>`;
    case 'rich_text_quote':
      return html`<blockquote>${elementViews(part.elements, around)}</blockquote>`;
    case 'rich_text_preformatted':
      return html`<pre>${elementViews(part.elements, around)}</pre>`;
    case 'rich_text_list': {
      const items = part.elements.map(({ elements }) => html`<li>${elementViews(elements, around)}</li>`);
      return part.style === 'ordered' ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
  }
}

const elementViews = (elements: readonly RichElement[], around: Surroundings) =>
  elements.map((element) => elementView(element, around));

function elementView(element: RichElement, { names }: Surroundings): Html {
  switch (element.type) {
    case 'text': {
      const { text, style } = element;
      if (style?.code) return html`<code>${text}</code>`;
      return style?.bold ? html`<b>${text}</b>` : html`<span>${text}</span>`;
    }
    case 'emoji':
      return EMOJI[element.name] ?? html`:${element.name}:`;
    case 'user':
      return html`<span class="mention">@${names[element.user_id] ?? element.user_id}</span>`;
    case 'usergroup':
      return html`<span class="mention">@${names[element.usergroup_id] ?? element.usergroup_id}</span>`;
    case 'link':
      return html`<a href="${element.url}">${element.text ?? element.url}</a>`;
  }
}

/** A circle as Slack's own emoji draw it, for a machine without a colour font. */
const circle = (name: string, fill: string, edge: string) =>
  html`<svg class="emoji" role="img" aria-label=":${name}:" viewBox="0 0 20 20"><circle cx="10" cy="10" r="8.6" fill="${fill}" stroke="${edge}" stroke-width="1" /></svg>`;
const EMOJI: Readonly<Record<string, Html>> = {
  red_circle: circle('red_circle', '#dd2e44', '#c3273b'),
  large_orange_circle: circle('large_orange_circle', '#f4900c', '#d87f0a'),
  large_blue_circle: circle('large_blue_circle', '#55acee', '#4796d3'),
  large_green_circle: circle('large_green_circle', '#78b159', '#689b4d'),
  white_circle: circle('white_circle', '#e6e7e8', '#bfc4c8'),
};

/** An ear of wheat: what a gleaner picks up. */
const MARK = raw(
  `<svg viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="6" fill="#2f5d46"/><g fill="none" stroke="#f3d98b" stroke-width="2.2" stroke-linecap="round"><path d="M18 30V13"/><path d="M18 13c0-3 0-5 0-7M18 15c-4 0-6-2-6-6M18 15c4 0 6-2 6-6M18 20.500c-4 0-6-2-6-6M18 20.500c4 0 6-2 6-6M18 26c-4 0-6-2-6-6M18 26c4 0 6-2 6-6"/></g></svg>`,
);
const AVATAR = html`<div class="avatar">${MARK}</div>`;
