import type { RichTextElement } from '@slack/types';
import type { Card } from '../../card.ts';
import { isRunning, isUndecided } from '../../model.ts';
import type { ClusterStatus } from '../../ports/desk.ts';
import { type Message, message } from './blocks.ts';
import { bold, bullets, code, person, rich, says, section, words } from './rich.ts';
import { moment, standingOf } from './standing.ts';

const SHOWN = 15;
const CLUSTERS = 20;

const row = (card: Card) =>
  rich(
    section({ type: 'emoji', name: standingOf(card).light }, words(' '), bold(card.title, 150)),
    section(
      says(
        `${standingOf(card).label} · ${card.clusterName} · since ${moment(card.proposal.found.since ?? card.proposal.openedAt)}`,
        250,
      ),
      words('  '),
      code(card.proposal.id, 60),
    ),
  );

const more = (count: number) =>
  count > 0
    ? [rich(section(words(`and ${count} more, which the page lists; `), code('/gleaner show ID'), words(' shows one')))]
    : [];

/** The cards of all incidents, as they are given: what waits first. */
export function listMessage(cards: readonly Card[]): Message {
  if (cards.length === 0)
    return message('No known fault is seen', [rich(section(words('No known fault is seen on any cluster.')))]);
  const title = countsOf(cards);
  return message(title, [rich(section(bold(title))), ...cards.slice(0, SHOWN).map(row), ...more(cards.length - SHOWN)]);
}

/** What stands in for cards that wait for their turn in a channel. */
export function digestMessage(cards: readonly Card[]): Message {
  const title = `${cards.length} ${cards.length === 1 ? 'card follows' : 'cards follow'}, one a second`;
  return message(title, [
    rich(section(bold(title), words('. Slack takes no more at once; nothing is lost.'))),
    ...cards.slice(0, SHOWN).map(row),
    ...more(cards.length - SHOWN),
  ]);
}

function countsOf(cards: readonly Card[]): string {
  const waiting = cards.filter(({ proposal }) => isUndecided(proposal.state)).length;
  const running = cards.filter(({ proposal }) => isRunning(proposal.state)).length;
  const over = cards.length - waiting - running;
  const parts = [
    [waiting, waiting === 1 ? 'waits for a decision' : 'wait for a decision'],
    [running, 'under way'],
    [over, 'over'],
  ] as const;
  return parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
}

/** What `/gleaner status` answers: each cluster, whether it is seen and may be changed, and what waits there. */
export function statusMessage(clusters: readonly ClusterStatus[], cards: readonly Card[]): Message {
  if (clusters.length === 0)
    return message('No cluster is watched', [rich(section(words('No cluster is watched: name one in gleaner.yaml.')))]);
  const title = `${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'}; ${countsOf(cards) || 'no known fault is seen'}`;
  return message(title, [
    rich(
      section(bold(title)),
      ...clusters.slice(0, CLUSTERS).map((cluster) => section(...clusterRow(cluster, cards))),
      ...(clusters.length > CLUSTERS ? [section(words(`and ${clusters.length - CLUSTERS} more`))] : []),
    ),
  ]);
}

function clusterRow(
  { id, name, flavour, does, blind, stopped }: ClusterStatus,
  cards: readonly Card[],
): RichTextElement[] {
  const counts = countsOf(cards.filter(({ proposal }) => proposal.cluster === id));
  const light =
    blind !== undefined || stopped !== undefined ? 'red_circle' : counts ? 'large_orange_circle' : 'large_green_circle';
  return [
    { type: 'emoji', name: light },
    words(' '),
    bold(name, 80),
    words('  '),
    says(
      `${flavour}; ${does === 'apply' ? 'applies what is approved' : 'only observes'}; ${counts || (blind === undefined ? 'nothing wrong' : 'nothing seen wrong')}`,
      250,
    ),
    ...(stopped === undefined ? [] : [words('; '), bold('stopped'), words(' by '), person(stopped)]),
    ...(blind === undefined ? [] : [words('; '), bold('blind'), words(': '), says(blind, 300)]),
  ];
}

const COMMANDS: readonly (readonly [string, string])[] = [
  ['status', 'each cluster: whether it is seen, may be changed, and what waits'],
  ['incidents', 'every incident, what waits for a decision first'],
  ['show ID', 'the card of an incident, for you alone'],
  ['diagnose [OBJECT|console]', 'look again now; with an object, say why it is a fault or why not'],
  ['approve ID', 'show the plan and its revision, and ask'],
  ['reject ID', 'say no, with a reason'],
  ['undo ID', 'propose to undo what was applied'],
  ['silence MODE|OBJECT DURATION [REASON]', 'no new card for it, for 24 hours at most'],
  ['unsilence MODE|OBJECT', 'hear it again'],
  ['stop', 'the emergency stop: nothing is changed on a cluster any more'],
  ['resume', 'lift it'],
];

/** What `/gleaner help` answers. */
export const helpMessage = (): Message =>
  message('What /gleaner understands', [
    rich(
      section(bold('What /gleaner understands')),
      bullets(COMMANDS.map(([command, does]) => [code(`/gleaner ${command}`), words(`  ${does}`)])),
      section(
        words('Add '),
        code('--cluster NAME'),
        words(' where there are several. An ID may be shortened to its beginning.'),
      ),
    ),
  ]);
