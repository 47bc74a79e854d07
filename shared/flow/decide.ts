import { milliseconds } from '../handler.ts';
import { type Click, isRunning, isUndecided, type Outgoing, type Proposal, shownTo } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { approve, OTHER_REVISION } from './approve.ts';
import { type Decision, decided, refused, successor, whyNot } from './decision.ts';
import { diagnose } from './diagnose.ts';
import { flip } from './emergency.ts';
import { cut } from './fit.ts';
import { kept } from './kept.ts';
import { notAllowed, policyForPlan } from './permit.ts';
import { policyOf } from './propose.ts';
import { signatureOfDone } from './signed.ts';
import { silence, unsilence } from './silence.ts';
import { change } from './transition.ts';
import { planOf } from './undo.ts';
import type { Hop, World } from './world.ts';

/** For how long a snoozed card stays silent. */
const SNOOZE = milliseconds('1h');
/** For how long "I have it" stops the reminders. */
const TAKEN = milliseconds('30m');
/** For how long the buttons of an answer can be pressed. */
const SHOWN_FOR = milliseconds('30m');
const ATTEMPTS = 5;

/**
 * Checks a click against the record and the policy, and makes the one compare-and-set that is the decision. A click that
 * comes late or twice must not decide what came after it: `at` is when it was made.
 */
export const decide: Hop<'clicked'> = async (world, { click: received, at }) => {
  const { reason, ...rest } = received;
  const click: Click = { ...rest, ...(reason !== undefined && { reason: cut(reason) }) };
  return (await refusedBefore(world, click)) ?? kept(world, await chosen(world, click, at));
};

/** What was refused stays refused: a copy of the click that comes when the policy is another one is told the same again. */
async function refusedBefore(world: World, click: Click): Promise<readonly Outgoing[] | undefined> {
  const told = click.from && (await world.store.get('receipt', click.id))?.item.answer;
  return told && !told.ok ? refused(click, told.because) : undefined;
}

function chosen(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  switch (click.choice) {
    case 'stop':
    case 'resume':
      return flip(world, click, at);
    case 'silence':
      return silence(world, click, at);
    case 'unsilence':
      return unsilence(world, click, at);
    default:
      return click.choice === 'diagnose' && click.proposal === undefined
        ? diagnose(world, click)
        : settle(world, click, at);
  }
}

async function settle(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = click.proposal === undefined ? undefined : await world.store.get('proposal', click.proposal);
    if (!row) return refused(click, `there is no proposal ${click.proposal ?? '(none named)'}`);
    const decision = (await refusalOf(world, row.item, click)) ?? (await choose(world, row, click, at));
    if (decision) return decision;
  }
  throw new Error(`Proposal ${click.proposal} kept changing while a click was decided`);
}

/** An approval is judged by the policy of the plan that it names, everything else by that of the approved or riskiest one. */
async function refusalOf(world: World, item: Proposal, click: Click): Promise<Outgoing[] | undefined> {
  if (!(await isItsCard(world, item, click)))
    return refused(
      click,
      'this is a copy of its card, or an old one: decide on the one that Gleaner keeps, or ask for it anew',
      item.id,
    );
  if (click.choice === 'approve') return undefined;
  if (click.revision !== undefined && click.revision !== item.revision) return refused(click, OTHER_REVISION, item.id);
  const plan = planOf(item);
  const policy = plan ? policyForPlan(world, item.found, plan) : policyOf(world, item.found);
  const refusal = await notAllowed(world, policy, click.who, click.from);
  return refusal && refused(click, refusal.because);
}

/**
 * A button decides only on the message that shows its incident, or on what Gleaner showed that person alone: whoever has
 * the chat's token can post copies of both, with other words on them.
 */
async function isItsCard(world: World, { id, incident }: Proposal, { from, who }: Click): Promise<boolean> {
  if (!from) return true;
  if (from.message === undefined) {
    const shown = await world.store.get('receipt', shownTo(from.question ?? '', who, id));
    return shown !== undefined && world.clock.now().getTime() - Date.parse(shown.item.at) <= SHOWN_FOR;
  }
  const post = (await world.store.get('post', incident))?.item;
  return post?.message === from.message && post.channel === from.channel;
}

function choose(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  switch (click.choice) {
    case 'approve':
      return approve(world, row, click);
    case 'reject':
      return end(world, row, click, { state: 'rejected' });
    case 'snooze':
      return snooze(world, row, click, at);
    case 'take':
      return take(world, row, click, at);
    case 'done':
      return done(world, row, click, at);
    case 'undo':
      return Promise.resolve(undoAsked(row.item.id, click));
    case 'again':
    case 'diagnose':
      return again(world, row, click);
    case 'silence':
    case 'unsilence':
    case 'stop':
    case 'resume':
      throw new Error(`${click.choice} is decided for a cluster, not for a proposal`);
  }
}

async function end(
  world: World,
  row: Row<Proposal>,
  click: Click,
  to: { state: 'rejected' | 'snoozed'; set?: Partial<Proposal> },
): Promise<Decision> {
  const because = `${click.who}: ${click.reason ?? 'no reason given'}`;
  if (row.item.decidedBy === click.id) return [decided(row.item.id, click, because)];
  if (!isUndecided(row.item.state) || row.item.state === to.state)
    return refused(click, whyNot(world, row.item), await successor(world, row.item));
  const set = { ...to.set, decidedBy: click.id };
  const changed = await change(world, row, { state: to.state, because, who: click.who, set });
  return changed && [decided(row.item.id, click, because)];
}

/** The hour begins with the click: one that comes when it is over silences nothing. */
async function snooze(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  const until = Date.parse(at) + SNOOZE;
  if (until <= world.clock.now().getTime()) return refused(click, 'the hour for which you asked is over');
  return end(world, row, click, { state: 'snoozed', set: { remindAt: new Date(until).toISOString() } });
}

/** Somebody has it in hand: reminders stop for a while, and then ask again. The card stays open for everybody. */
async function take(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  const { item } = row;
  const until = Date.parse(at) + TAKEN;
  const because = `${click.who} has it in hand`;
  const isCopy = item.timeline.some((stage) => stage.is === 'taken' && stage.who === click.who && stage.at >= at);
  if (isCopy) return [decided(item.id, click, because)];
  if (!isUndecided(item.state)) return refused(click, whyNot(world, item), await successor(world, item));
  if (until <= world.clock.now().getTime()) return refused(click, 'the half hour for which you took it is over');
  const set = { taker: click.who, remindAt: new Date(until).toISOString() };
  const changed = await change(world, row, { because, who: click.who, stage: 'taken', set });
  return changed && [decided(item.id, click, because)];
}

/** A person says that the step which waits for people is done: the run goes on, and looks for itself. */
async function done(world: World, row: Row<Proposal>, click: Click, at: string): Promise<Decision> {
  const { item } = row;
  const because = `${click.who} says that it is done`;
  const told = [decided(item.id, click, because), { fact: { event: 'applying' as const, proposal: item.id } }];
  if (item.decidedBy === click.id) return told;
  const part = item.run.failed ? 'recovery' : 'steps';
  const records = item.run[part];
  const waits = records.at(-1);
  const step = planOf(item)?.[part === 'steps' ? 'steps' : 'onFailure'][records.length - 1];
  if (item.state !== 'applying' || step?.do !== 'ask' || waits?.is !== 'waiting' || at < waits.since) {
    return refused(click, 'no step of it waits for a person');
  }
  const signature = await signatureOfDone(world, item, part, records.length - 1, because);
  const changed = await change(world, row, {
    ...{ because, who: click.who, stage: 'done' },
    set: {
      run: { ...item.run, [part]: [...records.slice(0, -1), { ...waits, is: 'done' as const, because, signature }] },
      ...{ decidedBy: click.id, dueAt: world.clock.now().toISOString() },
    },
  });
  return changed && told;
}

/** Whether a run can be undone, only a look at the cluster can tell: it is left to the hop that looks. */
const undoAsked = (proposal: string, click: Click): Outgoing[] => [{ fact: { event: 'undo-asked', proposal, click } }];

/** Looks at the mode again, and lets a new proposal of the same revision follow one that is over. */
async function again(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { id, state, cluster, found, undoes } = row.item;
  if (isRunning(state)) return refused(click, 'its run is under way');
  const isOver = !isUndecided(state);
  if (isOver && undoes !== undefined) return undoAsked(undoes, click);
  const because = `${click.who} asked to look again`;
  const set = isOver ? { again: click.who } : {};
  const changed = await change(world, row, { because, who: click.who, stage: 'again', set });
  const look: Outgoing = { fact: { event: 'observed', cluster, mode: found.mode, because, objects: [], asked: click } };
  return changed && [decided(id, click, because), look];
}
