import { inWords } from '../duration.ts';
import { isRunning, isUndecided } from '../model.ts';
import type { Admitted, ShownIncident, Status } from '../ports/api.ts';
import { stateWord } from './shown.ts';
import { harmless, labelled, styled, type Terminal, wrap } from './terminal.ts';

/** How Gleaner and its clusters are. */
export function shownStatus(status: Status, terminal: Terminal): string {
  const { clusters, waiting, running, silences, troubles, you, now } = status;
  const nameOf = (cluster: string) => clusters.find(({ id }) => id === cluster)?.name ?? cluster;
  const headline = `${waiting} waiting for a decision, ${running} under way`;
  const lines = [
    styled(terminal, 'bold', waiting + running === 0 ? 'All is well' : headline),
    ...clusters.flatMap(({ name, flavour, does, blind, stopped }) => {
      const may = does === 'observe' ? 'observes only' : 'may apply what is approved';
      const state = stopped === undefined ? may : `stopped by ${stopped}: no run touches it`;
      return labelled(
        terminal,
        'Cluster',
        `${name} (${flavour}): ${state}${blind === undefined ? '' : `; blind: ${blind}`}`,
      );
    }),
    ...silences.flatMap(({ what, cluster, who, until, because }) => {
      const left = inWords(Date.parse(until) - Date.parse(now));
      return labelled(terminal, 'Silenced', `${what} on ${nameOf(cluster)} for another ${left}, by ${who}: ${because}`);
    }),
    ...troubles.flatMap((trouble) => labelled(terminal, 'Trouble', trouble)),
    ...labelled(terminal, 'You', you),
  ];
  return `${lines.join('\n')}\n`;
}

/** What waits for a decision, what runs, and what is over, one line each. */
export function shownIncidents(incidents: readonly ShownIncident[], terminal: Terminal): string {
  if (incidents.length === 0) return 'No known fault was seen on any cluster.\n';
  const groups = [
    ['Waiting for a decision', incidents.filter(({ state }) => isUndecided(state))],
    ['Under way', incidents.filter(({ state }) => isRunning(state))],
    ['Done', incidents.filter(({ state }) => !isUndecided(state) && !isRunning(state))],
  ] as const;
  const lines = groups
    .filter(([, all]) => all.length > 0)
    .flatMap(([title, all]) => [
      styled(terminal, 'bold', title),
      ...all.flatMap((one) => incidentLines(one, terminal)),
    ]);
  return `${lines.join('\n')}\n`;
}

function incidentLines(incident: ShownIncident, terminal: Terminal): string[] {
  const { proposal, cluster, title, taker, changedAt } = incident;
  const since = `${changedAt.slice(0, 10)} ${changedAt.slice(11, 16)} UTC`;
  const hand = taker === undefined ? '' : `, ${taker} has it`;
  return [
    `   ${styled(terminal, 'cyan', proposal)}  ${stateWord(incident, terminal)} ${styled(terminal, 'dim', `${since}, ${harmless(cluster)}${hand}`)}`,
    ...wrap(title, Math.max(30, terminal.width - 6)).map((line) => `      ${line}`),
  ];
}

const DOORS = { page: 'the page', cli: 'the command line' } as const;

/** Who may get in. */
export const shownPeople = (people: readonly Admitted[]): string =>
  people
    .map(
      ({ who, door, at, until }) =>
        `${who.padEnd(24)} ${DOORS[door].padEnd(18)} since ${day(at)}${until === undefined ? '' : `, until ${day(until)}`}\n`,
    )
    .join('');

const day = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
