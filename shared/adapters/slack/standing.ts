import type { RichTextElement, RichTextSection } from '@slack/types';
import type { Card } from '../../card.ts';
import type { Principal, Proposal } from '../../model.ts';
import { waitingAsk } from './asked.ts';
import { bold, people, person, section, words } from './rich.ts';

/** The one sign of colour on a card. Slack's own names of its emoji. */
export type Light = 'red_circle' | 'large_orange_circle' | 'large_blue_circle' | 'large_green_circle' | 'white_circle';

/** How a record stands, in a word; the rest of the sentence depends on who did what. */
export interface Standing {
  readonly light: Light;
  readonly label: string;
}

/** `16 Jan 04:00 UTC`: the day and the time, for the message itself bears the year. */
export function moment(time: string): string {
  const at = new Date(time);
  const month = at.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  return `${at.getUTCDate()} ${month} ${clock(time)} UTC`;
}
/** `04:00`, in UTC. */
export const clock = (time: string) => time.slice(11, 16);

/** What a card says first. */
export function standingOf(card: Card): Standing {
  const { state, taker, found, undoes } = card.proposal;
  switch (state) {
    case 'open':
      return {
        light: found.mayWait.untilMorning || undoes || taker ? 'large_orange_circle' : 'red_circle',
        label: waitingFor(card),
      };
    case 'snoozed':
      return { light: 'white_circle', label: 'Snoozed' };
    case 'approved':
      return { light: 'large_blue_circle', label: 'Approved' };
    case 'applying':
      return waitingAsk(card)
        ? { light: 'large_orange_circle', label: 'Waits for a person' }
        : { light: 'large_blue_circle', label: 'Under way' };
    case 'applied':
      return { light: 'large_blue_circle', label: 'Applied, being verified' };
    case 'fixed':
      return { light: 'large_green_circle', label: undoes ? 'Undone and verified' : 'Fixed and verified' };
    case 'failed':
      return { light: 'red_circle', label: 'Failed' };
    case 'unknown':
      return { light: 'red_circle', label: 'Outcome unknown' };
    case 'rejected':
      return { light: 'white_circle', label: 'Rejected' };
    case 'expired':
      return { light: 'white_circle', label: 'Expired' };
    case 'superseded':
      return { light: 'white_circle', label: 'Superseded by a newer proposal' };
    case 'stale':
      return { light: 'white_circle', label: 'Stale: the cluster changed, nothing was touched' };
    case 'withdrawn':
      return { light: 'large_green_circle', label: 'Gone by itself' };
    case 'reverted':
      return { light: 'large_green_circle', label: 'Undone' };
  }
}

function waitingFor({ proposal: { found, approvals, taker }, plans }: Card): string {
  if (taker !== undefined) return 'In hand';
  if (found.offer.plans.length === 0) return found.offer.refusal ? 'No safe fix to offer' : 'Nothing to approve';
  if (plans.every(({ closed }) => closed !== undefined)) return 'Cannot be approved now';
  return approvals.length > 0 ? 'Partly approved' : 'Waits for a decision';
}

const decider = ({ timeline, state }: Proposal) => timeline.findLast((stage) => stage.is === state)?.who;

/** Who brought it there and until when it stays. */
function circumstances({ proposal, plans }: Card): RichTextElement[] {
  const { state, taker, remindAt, changedAt } = proposal;
  const who = decider(proposal);
  const approvers = approversOf(proposal);
  switch (state) {
    case 'open': {
      if (taker !== undefined) return [words(', with '), person(taker), words(` until ${moment(remindAt)}`)];
      return approvers.length > 0 ? [words(', by '), ...people(approvers)] : [];
    }
    case 'snoozed':
      return [...by(who), words(` until ${moment(remindAt)}`)];
    case 'applying': {
      const plan = plans.find(({ id }) => id === proposal.plan);
      const { steps, recovery, failed } = proposal.run;
      if (failed) return [words(`: putting back, step ${recovery.length} of ${plan?.onFailure.length ?? 0}`)];
      return plan && steps.length > 0 ? [words(`: step ${steps.length} of ${plan.steps.length}`)] : [];
    }
    case 'rejected':
      return [...by(who), words(`, ${moment(changedAt)}`)];
    case 'approved':
      return [words(' by '), ...people(approvers), words(`, ${moment(changedAt)}`)];
    default:
      return [
        words(`, ${moment(changedAt)}`),
        ...(approvers.length > 0 ? [words(', approved by '), ...people(approvers)] : []),
      ];
  }
}

/** The distinct principals who approved the plan that was chosen, or any while none is. */
const approversOf = ({ approvals, plan }: Proposal) => [
  ...new Set(approvals.filter((each) => plan === undefined || each.plan === plan).map(({ who }) => who)),
];

const by = (who: Principal | undefined) => (who === undefined ? [] : [words(' by '), person(who)]);

/** The line under the title: a light, the state, who and when, and which cluster. */
export function standingLine(card: Card): RichTextSection {
  const { light, label } = standingOf(card);
  return section(
    { type: 'emoji', name: light },
    words(' '),
    { type: 'text', text: label, style: { bold: true } },
    ...circumstances(card),
    words('  ·  '),
    bold(card.clusterName, 80),
  );
}
