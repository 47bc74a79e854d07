import { html } from 'hono/html';
import type { Principal } from '../model.ts';
import type { Admitted, Door } from '../ports/api.ts';

const DOORS: Readonly<Record<Door, string>> = { page: 'this page', cli: 'the command line' };

/** Who may get in, and how: everybody sees everybody. */
export function peopleView(people: readonly Admitted[], you: Principal) {
  return html`<details data-key="people">
    <summary>Who gets in here</summary>
    <div class="scroll"><table>
      <thead><tr><th>Who</th><th>By</th><th>Since</th><th>Until</th></tr></thead>
      <tbody>${people.map(
        ({ who, door, at, until }) =>
          html`<tr><td>${who}${who === you ? ' (you)' : ''}</td><td>${DOORS[door]}</td><td>${day(at)}</td><td>${
            until === undefined ? 'Gleaner is stopped' : day(until)
          }</td></tr>`,
      )}</tbody>
    </table></div>
    <p class="quiet">Who runs Gleaner invites others with <code>gleaner invite local:NAME</code>, and shows them out with <code>gleaner uninvite local:NAME</code>. Both are in the audit log.</p>
  </details>`;
}

const day = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
