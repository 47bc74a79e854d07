import { html, raw } from 'hono/html';
import type { Principal } from '../model.ts';
import { STYLE } from './style.ts';

/** What an invitation opens: one button, for programs that look at links press none. */
export const joinPage = (who: Principal, nonce: string) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Gleaner: an invitation</title>
<link rel="icon" href="data:," />
<style nonce="${nonce}">${raw(STYLE)}</style>
</head>
<body>
<main class="join">
  <h1>Gleaner</h1>
  <p>This link opens Gleaner once, as <b>${who}</b>. What you decide there is decided and written down in that name.</p>
  <form method="post"><button class="first" autofocus>Open as ${who}</button></form>
  <p class="quiet">You are somebody else? Close this, and tell who sent it. For the command line: <code>gleaner login</code> and this address.</p>
</main>
</body>
</html>`;
