import { html, raw } from 'hono/html';
import type { Card } from '../card.ts';
import { isRunning, isUndecided, type Principal } from '../model.ts';
import type { Admitted, Register } from '../ports/api.ts';
import type { ClusterStatus, Desk, PlaygroundControls } from '../ports/desk.ts';
import { cardView } from './card-view.ts';
import { LIVE } from './live.ts';
import { moment } from './moment.ts';
import { peopleView } from './people-view.ts';
import { silencesView } from './silences-view.ts';
import { STYLE } from './style.ts';

/** Everything that the page is drawn of. */
export interface Shown {
  readonly desk: Desk;
  readonly register: Register;
  readonly people: readonly Admitted[];
  /** Whose session it is. */
  readonly you: Principal;
}

/** The page: what is wrong now, what waits for a decision, what runs, what was done. */
export async function page(shown: Shown, nonce: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Gleaner</title>
<link rel="icon" href="data:," />
<style nonce="${nonce}">${raw(STYLE)}</style>
</head>
<body>
<main>${await fragment(shown)}</main>
<p id="answer" role="status" aria-live="polite"></p>
<script nonce="${nonce}">${raw(LIVE)}</script>
</body>
</html>`;
}

/** Everything below the page's frame; the script draws it anew after each change. */
export async function fragment({ desk, register, people, you }: Shown) {
  const [clusters, cards, silences, others] = await Promise.all([
    ...([desk.clusters(), desk.cards()] as const),
    ...([register.silences(), register.troubles()] as const),
  ]);
  const waits = cards.filter(({ proposal }) => isUndecided(proposal.state));
  const runs = cards.filter(({ proposal }) => isRunning(proposal.state));
  const over = cards.filter(({ proposal }) => !isUndecided(proposal.state) && !isRunning(proposal.state));
  const trouble = desk.configurationTrouble();
  const troubles = [...(trouble === undefined ? [] : [trouble]), ...others];
  const isQuiet = waits.length + runs.length === 0;
  return html`<header>
    <h1>Gleaner <small>${headline(waits.length, runs.length)}</small></h1>
    <span class="quiet">${moment(desk.now().toISOString())} · you are <b>${you}</b>${desk.playground ? html` · pretend clusters, ${desk.playground.speed} times faster than life` : ''}</span>
    <ul class="clusters">${clusters.map(clusterView)}</ul>
  </header>
  ${troubles.map((each) => html`<p class="notice" role="alert">${each}</p>`)}
  ${clusters.filter(({ blind }) => blind !== undefined).map(({ name, blind }) => html`<p class="notice" role="alert">${name}: ${blind}</p>`)}
  ${section('Waiting for a decision', waits)} ${section('Under way', runs)}
  ${isQuiet ? html`<p class="quiet">No known fault is seen on any cluster.</p>` : ''}
  ${desk.playground ? drills(desk.playground) : ''}
  ${silencesView(silences, clusters)}
  ${section('Done', over)}
  ${peopleView(people, you)}`;
}

const headline = (waiting: number, running: number) =>
  waiting > 0 ? `${waiting} waiting for a decision` : running > 0 ? `${running} under way` : 'all is well';

const section = (title: string, cards: readonly Card[]) =>
  cards.length === 0 ? '' : html`<section aria-label="${title}"><h2>${title}</h2>${cards.map(cardView)}</section>`;

function clusterView({ id, name, flavour, does, stopped }: ClusterStatus) {
  return html`<li>
    <b>${name}</b> ${flavour}, ${stopped ? html`<b>stopped by ${stopped}</b>` : does === 'observe' ? 'observes only' : 'may apply what is approved'}
    <form action="/click" method="post">
      <input type="hidden" name="cluster" value="${id}" />
      <button name="choice" value="diagnose" data-key="look-${id}">Look now</button>
      <button class="${stopped ? '' : 'danger'}" name="choice" value="${stopped ? 'resume' : 'stop'}" data-key="stop-${id}">${stopped ? 'Resume' : 'Emergency stop'}</button>
    </form>
  </li>`;
}

function drills({ drills: all }: PlaygroundControls) {
  return html`<section aria-label="Break it">
    <h2>Break the pretend cluster</h2>
    <form action="/break" method="post" class="drills">${all.map(
      ({ mode, title, broken }) =>
        html`<button name="mode" value="${mode}" data-key="break-${mode}" ${broken ? raw('disabled') : ''}>${title}</button>`,
    )}</form>
    <form action="/reset" method="post"><button data-key="reset">Put it back to healthy</button></form>
  </section>`;
}
