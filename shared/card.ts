import { type Cause, inWords, nameOf, type Plan, type Step, touches } from './handler.ts';
import { kubectlOf } from './kubectl.ts';
import {
  type Choice,
  type Difference,
  isRunning,
  isUndecided,
  type Proposal,
  type ProposalState,
  type StepRecord,
} from './model.ts';

/** Who decides on a plan, as the card says it. */
interface Deciders {
  /** The policy as a digest: approvals that were given under another one do not count. */
  readonly id: string;
  readonly approvers: readonly string[];
  readonly quorum: number;
  readonly requesterMayApprove: boolean;
  readonly reasonRequired: boolean;
}

/** What a card needs to know beside the record. */
export interface Setting {
  readonly clusterName: string;
  readonly modeTitle: string;
  readonly cause: Cause | undefined;
  readonly observeOnly: boolean;
  deciders(plan: Plan): Deciders;
  readonly now: Date;
}

export interface CardStep {
  /** The verb as people read it: a `call` by its subresource, such as `stop`. */
  readonly do: string;
  readonly target: string;
  readonly because: string;
  /** What a person is asked to do, and the command to paste. */
  readonly what?: string;
  /** The same by hand, where kubectl can do it. */
  readonly kubectl: string | undefined;
  readonly differences: readonly Difference[];
  /** What the dry run said where it gave no differences. */
  readonly note: string | undefined;
  readonly record: StepRecord | undefined;
}

export interface CardPlan extends Omit<Plan, 'steps' | 'onFailure'> {
  readonly steps: readonly CardStep[];
  readonly onFailure: readonly CardStep[];
  readonly deciders: Deciders;
  readonly approvedBy: readonly string[];
  /** Why it cannot be approved; undefined when it can. */
  readonly closed: string | undefined;
}

/** One incident as people read it. The title says what is wrong; `lines` is the first screen: six lines and 600 characters; the rest unfolds. */
export interface Card {
  readonly proposal: Proposal;
  readonly title: string;
  readonly clusterName: string;
  readonly modeTitle: string;
  readonly lines: readonly { readonly label: string; readonly text: string }[];
  readonly plans: readonly CardPlan[];
  readonly cause: Cause | undefined;
  readonly choices: readonly Choice[];
}

const LINES = 600;

/** Text of at most `limit` characters, cut with a mark where it was longer: between words, where there are any. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = [...text].slice(0, limit - 1).join('');
  const space = room.lastIndexOf(' ');
  return `${space > limit / 2 ? room.slice(0, space) : room}…`;
}

/** A moment as everybody reads it, whatever their zone: `2026-01-15 12:00 UTC`. */
const utc = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;

/** Draws a record as a card. Pure: the same record and setting always give the same card. */
export function cardOf(proposal: Proposal, setting: Setting): Card {
  const plans = proposal.found.offer.plans.map((plan) => planCard(proposal, plan, setting));
  const lines = firstScreen(proposal, plans, setting);
  const spare = LINES - lines.reduce((sum, { label }) => sum + label.length, 0);
  return {
    proposal,
    title: proposal.found.summary,
    clusterName: setting.clusterName,
    modeTitle: setting.modeTitle,
    lines: fitted(lines, spare),
    plans,
    cause: setting.cause,
    choices: choicesOf(proposal, plans),
  };
}

/** Cuts the longest texts until all of them fit: what a short line does not need the long ones get. */
function fitted<T extends { readonly text: string }>(lines: readonly T[], room: number): T[] {
  let limit = Math.floor(room / lines.length);
  for (;;) {
    const used = lines.reduce((sum, { text }) => sum + Math.min(text.length, limit), 0);
    const cut = lines.filter(({ text }) => text.length > limit).length;
    const more = cut === 0 ? 0 : Math.floor((room - used) / cut);
    if (more <= 0) return lines.map((line) => ({ ...line, text: shorten(line.text, limit) }));
    limit += more;
  }
}

function firstScreen(proposal: Proposal, plans: readonly CardPlan[], { now }: Setting) {
  const { found, expiresAt } = proposal;
  const since = found.since ?? proposal.openedAt;
  const plan = plans.find(({ id }) => id === proposal.plan) ?? plans[0];
  const ago = inWords(now.getTime() - Date.parse(since));
  const wait = found.mayWait;
  return [
    { label: 'Since', text: `${utc(since)} (${ago})` },
    { label: 'Users', text: found.users },
    { label: 'Can it wait', text: `${wait.untilMorning ? 'Until morning' : 'No'}: ${wait.because}` },
    {
      label: 'Approve',
      text: plan ? plan.does : `Nothing to approve: ${found.offer.refusal?.because ?? 'no plan is known'}`,
    },
    { label: 'For good', text: plan ? (plan.irreversible ?? `Nothing. ${undoText(plan)}`) : 'Nothing is touched.' },
    { label: isUndecided(proposal.state) ? 'Who' : 'Outcome', text: whoOrOutcome(proposal, plan, expiresAt) },
  ];
}

const undoText = ({ undo }: Pick<Plan, 'undo'>) =>
  undo.offered ? `Undo: ${undo.because}` : `No undo: ${undo.because}`;

function whoOrOutcome(proposal: Proposal, plan: CardPlan | undefined, expiresAt: string): string {
  if (!isUndecided(proposal.state)) return `${proposal.state}: ${proposal.because}`;
  if (!plan) return 'Nobody need decide: mend it by hand, or reject it to close the card.';
  const { approvers, quorum, requesterMayApprove } = plan.deciders;
  if (approvers.length === 0) return 'Nobody: gleaner.yaml names no approver for it.';
  const missing = Math.max(0, quorum - plan.approvedBy.length);
  const { requester } = proposal;
  const but = requester === undefined || requesterMayApprove ? '' : `, not ${requester} who asked for it`;
  return `${approvers.join(', ')}${but}; ${missing} of ${quorum} still needed, until ${utc(expiresAt)}`;
}

function planCard(proposal: Proposal, plan: Plan, setting: Setting): CardPlan {
  const deciders = setting.deciders(plan);
  const approvals = proposal.approvals.filter((approval) => approval.plan === plan.id);
  const runs = proposal.dryRuns[plan.id] ?? [];
  const isChosen = proposal.plan === plan.id;
  const blocked = runs.find((run) => run.is === 'blocked');
  return {
    ...plan,
    deciders,
    approvedBy: approvals.filter(({ policy }) => policy === deciders.id).map(({ who }) => who),
    steps: plan.steps.map((step, index) => {
      const run = runs[index];
      return {
        ...stepCard(step, isChosen ? proposal.run.steps[index] : undefined),
        differences: run?.is === 'would-change' ? run.differences : [],
        note:
          run && 'because' in run && touches(step)
            ? run.because
            : run?.is === 'already-so'
              ? 'is so already'
              : undefined,
      };
    }),
    onFailure: plan.onFailure.map((step, index) => stepCard(step, isChosen ? proposal.run.recovery[index] : undefined)),
    closed: setting.observeOnly
      ? `Gleaner only observes ${setting.clusterName}`
      : blocked?.is === 'blocked'
        ? `the cluster would refuse it: ${blocked.because}`
        : undefined,
  };
}

function stepCard(step: Step, record: StepRecord | undefined): CardStep {
  return {
    do: step.do === 'call' ? step.subresource : step.do,
    target: nameOf(step.target),
    because: step.because,
    ...(step.do === 'ask' && { what: step.what }),
    kubectl: step.do === 'ask' ? step.command : kubectlOf(step),
    differences: [],
    note: undefined,
    record,
  };
}

/** The buttons. A decided card has none that decide. */
function choicesOf(proposal: Proposal, plans: readonly CardPlan[]): Choice[] {
  const { state } = proposal;
  if (isUndecided(state)) {
    const approvable = plans.some(({ closed }) => closed === undefined);
    return [
      ...(approvable ? (['approve'] as const) : []),
      'reject',
      ...(state === 'open' ? (['snooze', 'take'] as const) : []),
    ];
  }
  if (isRunning(state)) return waitsForPeople(proposal) ? ['done'] : [];
  const undo = canBeUndone(proposal) ? (['undo'] as const) : [];
  return [...undo, ...(AFTERWARDS[state] ?? [])];
}

/** What can be asked for once a card is over: another look, or another run. */
const AFTERWARDS: Readonly<Partial<Record<ProposalState, readonly Choice[]>>> = {
  failed: ['again'],
  unknown: ['again'],
  rejected: ['diagnose'],
  expired: ['diagnose'],
  stale: ['diagnose'],
};

const chosenPlan = ({ found, plan: chosen }: Proposal) => found.offer.plans.find(({ id }) => id === chosen);

function waitsForPeople(proposal: Proposal): boolean {
  const part = proposal.run.failed ? 'recovery' : 'steps';
  const records = proposal.run[part];
  const step = chosenPlan(proposal)?.[part === 'steps' ? 'steps' : 'onFailure'][records.length - 1];
  return step?.do === 'ask' && records.at(-1)?.is === 'waiting';
}

/** Also what a run has changed before it failed can be put back. */
function canBeUndone(proposal: Proposal): boolean {
  const plan = chosenPlan(proposal);
  const hasChanged = plan?.steps.some(
    ({ do: verb }, index) => verb === 'patch' && proposal.run.steps[index]?.is === 'done',
  );
  return plan?.undo.offered === true && hasChanged === true && ['fixed', 'failed', 'unknown'].includes(proposal.state);
}
