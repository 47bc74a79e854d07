import { html, raw } from 'hono/html';
import { blockKitMessage, blockKitModal } from './block-kit.ts';
import { BLOCK_KIT_STYLE } from './block-kit-style.ts';

/** A card and what is behind its Details, as Slack shows them. Its buttons do nothing here. */
export const slackPage = ({ message, details }: { message: unknown; details: unknown }, nonce: string) => {
  const around = { names: {}, at: 'now' };
  return html`<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Gleaner: how Slack shows it</title>
<link rel="icon" href="data:," />
<style nonce="${nonce}">${raw(BLOCK_KIT_STYLE)}</style>
</head>
<body><main>${blockKitMessage(message, around)}${blockKitModal(details, around)}</main></body>
</html>`;
};
