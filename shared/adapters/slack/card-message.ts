import type { KnownBlock, RichTextSection } from '@slack/types';
import type { Card, CardPlan } from '../../card.ts';
import { isObject } from '../../handler.ts';
import { isRunning, isUndecided, type ProposalState } from '../../model.ts';
import { askedOf } from './asked.ts';
import { actions, beside, DIVIDER, header, type Message, message, small } from './blocks.ts';
import { approveButton, buttonRow, isApprovable } from './buttons.ts';
import { fit, may, must, type Part } from './fit.ts';
import { progress } from './progress.ts';
import { bold, people, person, quote, rich, says, section, words } from './rich.ts';
import { moment, standingLine, standingOf } from './standing.ts';

/** How many lines of the first screen say what is; the others say what can be done about it. */
const SITUATION = 3;

/** What of the first screen still matters once a card is decided: while a fault stands, what it does to people. */
const STILL: Readonly<Partial<Record<ProposalState, readonly string[]>>> = {
  approved: ['Since', 'Users', 'Approve', 'For good'],
  applying: ['Since', 'Users', 'Approve', 'For good'],
  applied: ['Since', 'Users', 'Approve', 'For good'],
  fixed: ['Since', 'Approve'],
  reverted: ['Since', 'Approve'],
  failed: ['Since', 'Users', 'Can it wait', 'Approve', 'For good'],
  unknown: ['Since', 'Users', 'Can it wait', 'Approve', 'For good'],
  rejected: ['Since', 'Users', 'Can it wait'],
  expired: ['Since', 'Users', 'Can it wait'],
  stale: ['Since', 'Users', 'Can it wait'],
  superseded: ['Since'],
  withdrawn: ['Since'],
};

/** One incident as Slack shows it, to be posted and, as its record moves, updated in place. */
export function cardMessage(card: Card): Message {
  const parts: Part[] = [
    must(header(card.title), rich(standingLine(card), ...outcome(card))),
    ...screen(card),
    ...affected(card),
    ...closings(card),
    ...offers(card),
    ...askedOf(card),
    ...progress(card),
    must(actions(buttonRow(card)), footer(card)),
  ];
  const pointer = small(`Cut here. Details, or gleaner show ${card.proposal.id}, has the rest.`);
  return message(
    summaryOf(card),
    fit(parts, 'message', () => pointer),
  );
}

/** The first screen: the situation, then what can be or was done. */
function screen(card: Card): Part[] {
  const { state } = card.proposal;
  const groups = [card.lines.slice(0, SITUATION), card.lines.slice(SITUATION)];
  const shown = groups.map((lines) => lines.filter(({ label }) => STILL[state]?.includes(label) ?? true));
  return shown
    .filter((lines) => lines.length > 0)
    .map((lines) => must(rich(...lines.map((each) => lineOf(card, each)))));
}

/** What a notification says. */
function summaryOf(card: Card): string {
  const [situation] = card.lines.filter(({ label }) => label === 'Can it wait');
  const wait = isUndecided(card.proposal.state) && situation ? ` Can it wait? ${situation.text}` : '';
  return `${card.clusterName}: ${card.title}. ${standingOf(card).label}.${wait}`;
}

/** Who must decide is told with names; the policy and the record name them, never the text. */
function lineOf(card: Card, { label, text }: Card['lines'][number]): RichTextSection {
  if (!isUndecided(card.proposal.state)) {
    return section(
      bold(label === 'Approve' ? 'Plan' : label),
      words('  '),
      says(wholly(card, label) ?? whole(text), 400),
    );
  }
  const said = label === 'Who' ? deciders(card) : undefined;
  return section(bold(label), words('  '), ...(said ?? [says(whole(text), 600)]));
}

/** A decided card shows fewer lines: what six of them had no room for has room again. */
function wholly({ proposal, plans }: Card, label: string): string | undefined {
  const plan = plans.find(({ id }) => id === proposal.plan);
  if (label === 'Users') return proposal.found.users;
  return label === 'Approve' ? plan?.does : label === 'For good' ? (plan?.irreversible ?? undefined) : undefined;
}

/** A line that the card has cut within a word ends before that word. */
const whole = (text: string) => text.replace(/\s+\S{0,24}…$/, '…');

function deciders({ proposal, plans }: Card) {
  const plan = plans.find(({ id }) => id === proposal.plan) ?? plans[0];
  if (!plan || plan.deciders.approvers.length === 0) return undefined;
  const { approvers, quorum, requesterMayApprove, reasonRequired } = plan.deciders;
  const missing = Math.max(0, quorum - plan.approvedBy.length);
  const { requester, expiresAt } = proposal;
  const but =
    requester === undefined || requesterMayApprove
      ? []
      : [words(', not '), person(requester), words(' who asked for it')];
  const how = `; ${missing} of ${quorum} still needed${reasonRequired ? ', with a reason' : ''}, until ${moment(expiresAt)}`;
  return [...people(approvers), ...but, words(how)];
}

/** What became of it, in the record's own sentence. While a run goes on its steps say it better. */
function outcome({ proposal: { state, timeline, because } }: Card): RichTextSection[] {
  if (isUndecided(state) || state === 'applying') return [];
  const who = timeline.findLast((stage) => stage.who !== undefined && because.startsWith(stage.who))?.who;
  // The line above names who decided.
  const said = who === undefined ? because : because.slice(who.length).replace(/^[\s:;,]+/, '');
  return said === '' ? [] : [section(says(said, 500))];
}

/** A storm says how many of what, and names the first of them. */
function affected({ proposal: { found } }: Card): Part[] {
  if (!isObject(found.finding) || found.finding.storm !== true) return [];
  const kinds = Map.groupBy(found.evidence, ({ object }) => object.kind);
  const counts = [...kinds].slice(0, 5).map(([kind, seen]) => {
    const names = [
      ...new Set(seen.map(({ object: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name))),
    ];
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    return section(
      bold(`${names.length} × ${kind}`, 80),
      words('  '),
      says(`${names.slice(0, NAMED).join(', ')}${more}`, 500),
    );
  });
  return counts.length === 0 ? [] : [may(rich(...counts))];
}
const NAMED = 8;

/** Why a plan that waits cannot be approved. */
function closings({ proposal, plans }: Card): Part[] {
  if (!isUndecided(proposal.state)) return [];
  return plans
    .filter(({ closed }) => closed !== undefined)
    .map(({ title, closed }) =>
      may(
        rich(
          quote(bold('Cannot be approved'), words('  '), says(`${plans.length > 1 ? `${title}: ` : ''}${closed}`, 500)),
        ),
      ),
    );
}

/** Of several plans each says what it is, with its own button beside it. */
function offers(card: Card): Part[] {
  const open = card.plans.filter((plan) => isApprovable(card, plan));
  if (card.plans.length < 2) return [];
  return [
    may(DIVIDER),
    ...open.map((plan, index) => may(beside(offerLines(plan, index > 0), 400, approveButton(card, plan)))),
    may(DIVIDER),
  ];
}

function offerLines(plan: CardPlan, inFull: boolean): string[] {
  const forGood = plan.irreversible === null ? 'Nothing is lost for good.' : `For good: ${plan.irreversible}`;
  const kind = plan.stopgap ? `A stopgap, ${plan.risk} risk, the cause stays` : `The fix, ${plan.risk} risk`;
  return [`${kind}: ${plan.title}`, ...(inFull ? [plan.does, forGood] : [])];
}

function footer({ proposal, plans, modeTitle }: Card): KnownBlock {
  const plan = plans.find(({ id }) => id === proposal.plan) ?? (plans.length === 1 ? plans[0] : undefined);
  const risk = plan && (isUndecided(proposal.state) || isRunning(proposal.state)) ? [`${plan.risk} risk`] : [];
  return small(
    [modeTitle, ...risk, `/gleaner show ${proposal.id}`, `revision ${proposal.revision.slice(0, 8)}`].join('  ·  '),
  );
}
