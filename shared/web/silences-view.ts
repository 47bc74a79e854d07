import { html } from 'hono/html';
import type { Card } from '../card.ts';
import { isUndecided, type Silence } from '../model.ts';
import type { ClusterStatus } from '../ports/desk.ts';
import { moment } from './moment.ts';

/** What brings no card and no reminder now, who said so and until when, each with its end. */
export function silencesView(silences: readonly Silence[], clusters: readonly ClusterStatus[]) {
  if (silences.length === 0) return '';
  const nameOf = (cluster: string) => clusters.find(({ id }) => id === cluster)?.name ?? cluster;
  return html`<section aria-label="Silenced">
    <h2>Silenced</h2>
    <ul class="silences">${silences.map(
      ({ id, cluster, what, who, until, because }) => html`<li>
        <span><b>${what}</b> on ${nameOf(cluster)} until ${moment(until)}, by ${who}: ${because}</span>
        <form action="/click" method="post">
          <input type="hidden" name="cluster" value="${cluster}" /><input type="hidden" name="what" value="${what}" />
          <button name="choice" value="unsilence" data-key="unsilence-${id}">Hear it again</button>
        </form>
      </li>`,
    )}</ul>
  </section>`;
}

const SPANS = [
  ['30m', 'half an hour'],
  ['1h', 'an hour'],
  ['2h', 'two hours'],
  ['4h', 'four hours'],
  ['8h', 'eight hours'],
  ['24h', 'a day'],
] as const;

/** Silences what a card is about: its object, or its failure mode on the whole cluster. */
export function silenceForm({ proposal, modeTitle, clusterName }: Card) {
  const { found, incident, cluster, state, undoes } = proposal;
  if (!isUndecided(state) || undoes !== undefined) return '';
  const { kind, namespace, name } = found.subject;
  const object = `${kind}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return html`<details data-key="silence-${incident}">
    <summary>Silence</summary>
    <p class="quiet">It opens no new card and sends no reminder for a while. This card stays.</p>
    <form action="/click" method="post" class="choices" aria-label="Silence">
      <input type="hidden" name="cluster" value="${cluster}" />
      <select name="what" id="what-${incident}" aria-label="What to silence">
        <option value="${object}">${object}</option>
        <option value="${found.mode}">“${modeTitle}” on all of ${clusterName}</option>
      </select>
      <select name="lasts" id="lasts-${incident}" aria-label="For how long">${SPANS.map(
        ([span, words]) => html`<option value="${span}">for ${words}</option>`,
      )}</select>
      <input type="text" id="why-${incident}" name="reason" placeholder="Why" aria-label="Why" maxlength="500" autocomplete="off" />
      <button name="choice" value="silence" data-key="silence-button-${incident}">Silence</button>
    </form>
  </details>`;
}
