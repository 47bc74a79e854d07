import { type Card, cardOf, type Setting } from '../../shared/card.ts';
import type { Plan } from '../../shared/handler.ts';
import type { Approval, Principal, Proposal, Stage, StepRecord } from '../../shared/model.ts';
import { type Picture, pictureOf } from './found.ts';

export const ANN: Principal = 'slack:U0ANN';
export const BOB: Principal = 'slack:U0BOB';
const ONCALL: Principal = 'slack-group:S0ONCALL';

/** Minutes after the card was opened. */
const after = (minutes: number) => new Date(Date.parse('2026-01-15T12:00:30Z') + minutes * 60_000).toISOString();

export interface Drawing {
  readonly card: Card;
  /** What the thread was told last. */
  readonly stages: readonly Stage[];
}

type Changes = Partial<Proposal> & { readonly observeOnly?: boolean };

const TIERS: Readonly<Record<Plan['risk'], ReturnType<Setting['deciders']>>> = {
  low: { id: 'low', requesterMayApprove: true, approvers: [ONCALL], quorum: 1, reasonRequired: false },
  medium: { id: 'medium', requesterMayApprove: true, approvers: [ONCALL], quorum: 1, reasonRequired: true },
  high: {
    id: 'high',
    requesterMayApprove: false,
    approvers: [ANN, BOB, 'local:cleo'],
    quorum: 2,
    reasonRequired: true,
  },
};

/** A card of a picture, in the state that `changes` give it. */
export function drawn({ found: seen, at, dryRuns, modeTitle, cause }: Picture, changes: Changes = {}): Drawing {
  const { observeOnly = false, ...set } = changes;
  // As long before the card as it was before the moment of the case.
  const since = new Date(
    Date.parse(after(0)) - at.getTime() + Date.parse(seen.since ?? at.toISOString()),
  ).toISOString();
  const found = { ...seen, since };
  const proposal: Proposal = {
    ...{ schema: 1, id: '3f9a1c07b2de-51c0aa', incident: '3f9a1c07b2de', cluster: 'c1', revision: '77aa10c4be0912f3' },
    ...{ state: 'open', found, dryRuns, openedAt: after(0), expiresAt: after(24 * 60), remindAt: after(240) },
    ...{ approvals: [], run: { steps: [], recovery: [] }, changedAt: after(0), because: 'it was found' },
    timeline: [{ at: after(0), is: 'open', because: 'it was found' }],
    ...set,
  };
  const setting = { clusterName: 'lab', modeTitle, cause, observeOnly, now: new Date(after(9)) };
  return { card: cardOf(proposal, { ...setting, deciders: ({ risk }) => TIERS[risk] }), stages: proposal.timeline };
}

/** The last transition of a record, with who made it, and the timeline that leads there. */
function moved(state: Proposal['state'], because: string, at: number, { who, before = [] }: Moved = {}): Changes {
  const stage = { at: after(at), is: state, because, ...(who && { who }) };
  return { state, because, changedAt: after(at), timeline: [...before, stage] };
}
interface Moved {
  readonly who?: Principal;
  readonly before?: readonly Stage[];
}

const approval = (who: Principal, plan: string, minutes: number): Approval => ({
  ...{ click: `click-${who}`, who, at: after(minutes), plan, policy: 'high', reason: 'the guests are idle' },
});
const record = (is: StepRecord['is'], because: string): StepRecord => ({ is, since: after(12), because });
const approvedBy = (who: Principal, plan: string): Stage => ({
  ...{ at: after(11), is: 'approved', who, because: `${who} approved "${plan}": the guests are idle` },
});

/** Every state that a card can be in, over what the modes find in their own cases. */
export async function everyState(): Promise<Readonly<Record<string, Drawing>>> {
  const [pool, vms, placement, budgets, disk, nodes, backup] = await Promise.all([
    pictureOf('ippool-status-wiped/s1-zeros-from-claims'),
    pictureOf('blocked-harvester-pod/no-status'),
    pictureOf('stuck-pre-drained/placement-absent'),
    pictureOf('stuck-pre-drained/placement-not-converging'),
    pictureOf('node-not-ready/unhealthy-disk'),
    pictureOf('node-not-ready/two-nodes'),
    pictureOf('blocked-harvester-pod/backup'),
  ]);
  return {
    ...undecided(pool, vms, placement, budgets),
    ...refused(pool, nodes, backup),
    ...running(vms, disk),
    ...over(pool, vms, placement),
  };
}

function undecided(pool: Picture, vms: Picture, placement: Picture, budgets: Picture) {
  const half = `${ANN} approved "Stop one VM, let Harvester start, start it again": the guests are idle; 1 more must approve`;
  return {
    open: drawn(pool),
    'open-reason-required': drawn(vms),
    'open-one-of-two': drawn(vms, {
      approvals: [approval(ANN, 'stop-and-start', 6)],
      timeline: [{ at: after(6), is: 'approval', who: ANN, because: half }],
    }),
    'open-fix-and-stopgap': drawn({
      ...placement,
      found: {
        ...placement.found,
        offer: { ...placement.found.offer, plans: [...placement.found.offer.plans, ...budgets.found.offer.plans] },
      },
      dryRuns: { ...placement.dryRuns, ...budgets.dryRuns },
    }),
    snoozed: drawn(pool, { ...moved('snoozed', `${ANN}: no reason given`, 5, { who: ANN }), remindAt: after(65) }),
    taken: drawn(pool, {
      ...{ taker: ANN, remindAt: after(34) },
      timeline: [{ at: after(4), is: 'taken', who: ANN, because: `${ANN} has it in hand for 30 min` }],
    }),
    undo: drawn(undoOf(placement), { undoes: '3f9a1c07b2de-000001', requester: BOB }),
  };
}

/** As the flow words it. */
function undoOf(picture: Picture): Picture {
  const [plan] = picture.found.offer.plans;
  const [step] = plan?.steps ?? [];
  if (!plan || step?.do !== 'patch') throw new Error('the case offers nothing that can be undone');
  const title = `Undo: ${plan.title}`;
  const undo: Plan = {
    ...{ ...plan, id: 'undo', title, irreversible: null, onFailure: [] },
    does: `Puts back what "${plan.title}" changed: ${step.target.kind} ${step.target.name}.`,
    preconditions: ['what the run wrote still stands as it wrote it', plan.undo.because],
    steps: [{ ...step, because: 'puts it back to what it was before the run' }],
    undo: { offered: false, because: 'an undo is not undone: diagnose again instead' },
  };
  const because = 'it was carried out 2 h 10 min ago and somebody asked to put back what it changed';
  const offer = { refusal: null, plans: [undo], prevention: null };
  const found = { ...picture.found, summary: `Undo of "${plan.title}"`, because, evidence: [], offer };
  const [, ...others] = picture.dryRuns[plan.id] ?? [];
  return {
    ...picture,
    found,
    dryRuns: { undo: [{ is: 'would-change', differences: [{ path: '/spec/infra', before: {} }] }, ...others] },
  };
}

function refused(pool: Picture, nodes: Picture, backup: Picture) {
  const [plan] = pool.found.offer.plans;
  const because = 'admission webhook "validator.harvesterhci.io" denied the request: the pool is being deleted';
  return {
    storm: drawn(nodes),
    'no-plan': drawn(backup),
    'observe-only': drawn(pool, { observeOnly: true }),
    'blocked-dry-run': drawn({ ...pool, dryRuns: { [plan?.id ?? '']: [{ is: 'blocked', because }] } }),
  };
}

function running(vms: Picture, disk: Picture) {
  const approvals = [approval(ANN, 'stop-and-start', 6), approval(BOB, 'stop-and-start', 11)];
  const run = { ...{ approvals, plan: 'stop-and-start' } };
  const decided = approvedBy(BOB, 'Stop one VM, let Harvester start, start it again');
  const done = [record('done', 'VM default/vm1 was told to stop'), record('done', 'VM default/vm1 says Stopped')];
  const waits = record('waiting', 'one volume is still attached to node2');
  const stages = [decided, { at: after(14), is: 'step 3: waiting', because: waits.because }];
  return {
    approved: drawn(vms, { ...run, ...moved('approved', decided.because, 11, { who: BOB }) }),
    'applying-waits': drawn(vms, {
      ...{ ...run, ...moved('applying', 'the run began', 12), timeline: stages },
      run: { steps: [...done, waits], recovery: [] },
    }),
    'ask-waits': drawn(disk, {
      ...{ approvals: [approval(ANN, 'by-hand', 3)], plan: 'by-hand' },
      ...moved('applying', 'a person is asked', 4),
      run: { steps: [record('waiting', 'a person is asked; Gleaner looks every minute')], recovery: [] },
    }),
    'applied-verifying': drawn(vms, {
      ...{ ...run, ...moved('applied', 'every step was carried out', 28, { before: [decided] }) },
      run: { steps: [...done, ...[3, 4, 5, 6, 7].map(() => record('done', 'it is so'))], recovery: [] },
    }),
    'putting-back': drawn(vms, {
      ...{ ...run, ...moved('applying', 'the run began', 12) },
      run: {
        steps: [...done, record('failed', 'waited 5m in vain: one volume is still attached to node2')],
        recovery: [record('started', 'VM default/vm1 is stopping')],
        failed: { is: 'failed', because: 'step 3: waited 5m in vain: one volume is still attached to node2' },
      },
    }),
  };
}

function over(pool: Picture, vms: Picture, placement: Picture) {
  const restored = { plan: 'restore-status', approvals: [approval(ANN, 'restore-status', 6)] };
  const patched = { steps: [record('done', 'IPPool pool1 was changed')], recovery: [] };
  const failed = 'step 3: waited 5m in vain: one volume is still attached to node2; what was stopped was started again';
  const steps = [record('done', 'it was told to stop'), record('done', 'it says Stopped'), record('failed', failed)];
  const both = {
    plan: 'stop-and-start',
    approvals: [approval(ANN, 'stop-and-start', 6)],
    run: { steps, recovery: [] },
  };
  const set = {
    plan: 'set-node-placement',
    run: { steps: placement.found.offer.plans[0]?.steps.map(() => record('done', 'it is so')) ?? [], recovery: [] },
  };
  return {
    'fixed-with-undo': drawn(placement, {
      ...set,
      ...moved('fixed', 'the upgrade goes on, for 5 minutes without a break', 25),
    }),
    'fixed-without-undo': drawn(pool, {
      ...restored,
      run: patched,
      ...moved('fixed', 'every address in use is booked, for 2 minutes without a break', 9),
    }),
    failed: drawn(vms, { ...both, ...moved('failed', failed, 20) }),
    unknown: drawn(vms, {
      ...{ ...both, run: { steps: [...steps.slice(0, 2), record('unknown', 'no answer came')], recovery: [] } },
      ...moved('unknown', 'the API server did not answer whether it took the change of VM default/vm1: look at it', 20),
    }),
    rejected: drawn(pool, moved('rejected', `${BOB}: we rebuild this pool today`, 9, { who: BOB })),
    expired: drawn(pool, moved('expired', 'nobody decided in time, which means no', 24 * 60)),
    superseded: drawn(pool, moved('superseded', 'the cluster changed: a newer proposal took its place', 9)),
    stale: drawn(pool, {
      ...restored,
      ...moved('stale', 'what was approved is no longer so: 192.168.5.12 was booked since', 9),
    }),
    withdrawn: drawn(pool, moved('withdrawn', 'every address in use is booked again', 9)),
    reverted: drawn(placement, { ...set, ...moved('reverted', 'undone by 3f9a1c07b2de-7d21f0', 140) }),
  };
}
