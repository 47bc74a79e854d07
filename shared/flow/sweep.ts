import { milliseconds, nameOf } from '../handler.ts';
import { isRunning, isUndecided, type Outgoing, type Proposal } from '../model.ts';
import type { Row } from '../ports/store.ts';
import { isCurrent } from './approve.ts';
import { beat, missedWatchers } from './beat.ts';
import { successor } from './decision.ts';
import { policyOf } from './propose.ts';
import { recheck } from './recheck.ts';
import { repoliced } from './repolice.ts';
import { silenceOf } from './silence.ts';
import { change } from './transition.ts';
import { planOf } from './undo.ts';
import type { Hop, World } from './world.ts';

/** An event of a run that is this late was lost: it is sent again, now and then, for the bus tries again by itself. */
const LOST_AFTER = milliseconds('15s');
const AGAIN_EVERY = milliseconds('5m');
/** An incident names a proposal a moment after that was opened; one that it does not name after this long is an orphan. */
const ORPHAN_AFTER = milliseconds('60s');
/** A run that could not go on for this long is given up: its cluster is gone, or nothing here can read it any more. */
const GIVEN_UP_AFTER = milliseconds('48h');

/** How often what is over for long is removed. */
const TIDY_EVERY = milliseconds('1h');
const KEPT = '90d';
/** A click comes again within this time, if at all. */
const RECEIVED = milliseconds('24h');

/** The only source of "later" beyond a delivery's delay: expiry, reminders, snoozes that end, re-checks, lost events. */
export const sweep: Hop<'ticked' | 'beat'> = async (world, event) => {
  if (event.event === 'beat') return beat(world, event);
  const [since, now] = [Date.parse(event.since), Date.parse(event.at)];
  const rows = await world.store.current('proposal', { overSince: event.at });
  const open = rows.map(({ item }) => item).filter(({ state }) => isUndecided(state) || isRunning(state));
  const outgoing: Outgoing[] = [
    ...(await repoliced(world)),
    ...(await missedWatchers(world)),
    ...recheck(world, open, since, now),
  ];
  for (const row of rows) {
    const { state } = row.item;
    outgoing.push(...(await toldAgain(world, row.item, event.at)));
    if (isUndecided(state)) outgoing.push(...(await undecided(world, row)));
    else if (isRunning(state)) outgoing.push(...(await overdue(world, row, event)));
  }
  await tidy(world, since, now);
  return outgoing;
};

async function tidy({ store, keep = KEPT }: World, since: number, now: number): Promise<void> {
  if (Math.floor(since / TIDY_EVERY) === Math.floor(now / TIDY_EVERY)) return;
  const ago = (ms: number) => new Date(now - ms).toISOString();
  await store.prune({ closed: ago(milliseconds(keep)), received: ago(RECEIVED) });
}

/** What this tick has written before is told once more: it may have been written, and the process died before telling. */
async function toldAgain(world: World, item: Proposal, tick: string): Promise<Outgoing[]> {
  const isEnded = item.changedAt >= tick;
  const proposal = item.id;
  switch (item.state) {
    case 'open': {
      const isReminded = item.timeline.some(({ is, at }) => is === 'reminded' && at >= tick);
      return isReminded ? [{ fact: { event: 'reminded', proposal } }] : [];
    }
    case 'expired':
      return isEnded ? [{ fact: { event: 'expired', proposal } }] : [];
    case 'superseded':
      return isEnded ? [{ fact: { event: 'superseded', proposal, by: (await successor(world, item)) ?? '' } }] : [];
    case 'stale':
    case 'failed':
    case 'unknown':
      return isEnded ? [{ fact: { event: item.state, proposal, because: item.because } }] : [];
    default:
      return [];
  }
}

async function undecided(world: World, row: Row<Proposal>): Promise<Outgoing[]> {
  const { item } = row;
  const now = world.clock.now().getTime();
  if (now - Date.parse(item.changedAt) >= ORPHAN_AFTER && !(await isCurrent(world, item))) {
    const by = (await successor(world, item)) ?? '';
    const because = 'a newer proposal took its place';
    const changed = await change(world, row, { state: 'superseded', because });
    return changed ? [{ fact: { event: 'superseded', proposal: item.id, by } }] : [];
  }
  if (now >= Date.parse(item.expiresAt)) {
    const because = 'nobody decided in time, which means no';
    return (await change(world, row, { state: 'expired', because }))
      ? [{ fact: { event: 'expired', proposal: item.id } }]
      : [];
  }
  if (now < Date.parse(item.remindAt)) return [];
  const { cluster, mode, subject } = item.found;
  if (await silenceOf(world, { cluster, mode, subject })) return [];
  const remindAt = new Date(now + milliseconds(policyOf(world, item.found).remind)).toISOString();
  const because = whyRemind(item);
  const reminded = await change(world, row, {
    state: 'open',
    stage: 'reminded',
    because,
    set: { remindAt, taker: undefined },
  });
  return reminded ? [{ fact: { event: 'reminded', proposal: item.id } }] : [];
}

function whyRemind({ state, taker }: Proposal): string {
  if (state === 'snoozed') return 'the snooze is over';
  return taker === undefined ? 'it still waits for a decision' : `${taker} had it in hand: does it still wait?`;
}

async function overdue(world: World, row: Row<Proposal>, tick: { since: string; at: string }): Promise<Outgoing[]> {
  const { id, state, dueAt, changedAt } = row.item;
  const due = Date.parse(dueAt ?? changedAt);
  if (Date.parse(tick.at) - due >= GIVEN_UP_AFTER) return givenUp(world, row);
  // Each copy that the bus keeps trying is one more: not one at each tick, but as each span of lateness begins.
  const spans = (at: string) => Math.ceil((Date.parse(at) - due - LOST_AFTER + 1) / AGAIN_EVERY);
  if (spans(tick.at) <= Math.max(0, spans(tick.since))) return [];
  return [{ fact: { event: state === 'applied' ? 'verifying' : 'applying', proposal: id } }];
}

/** No state is a dead end: what can neither go on nor be looked at ends, and says what it leaves behind. */
async function givenUp(world: World, row: Row<Proposal>): Promise<Outgoing[]> {
  const { item } = row;
  const state = item.state === 'approved' ? 'stale' : item.state === 'applying' ? 'unknown' : 'failed';
  const left = [...new Set(planOf(item)?.onFailure.map(({ target }) => nameOf(target)))];
  const because = `given up, it could not go on for two days: ${item.because}${
    state === 'unknown' && left.length > 0 ? `; look at ${left.join(', ')}` : ''
  }`;
  const ended = await change(world, row, { state, because });
  return ended ? [{ fact: { event: state, proposal: item.id, because } }] : [];
}
