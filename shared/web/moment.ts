import { html } from 'hono/html';

/** A moment in UTC; the page's script puts the viewer's own zone beside it. */
export const moment = (time: string) =>
  html`<time datetime="${time}" data-zone>${time.slice(11, 19)} UTC <span class="zone"></span></time>`;
