import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { modes } from '../../handlers/index.ts';
import drill from '../../handlers/ippool-status-wiped/drill.ts';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { connect } from '../../shared/adapters/kubernetes/connect.ts';
import { onePolicy } from '../../shared/flow/world.ts';
import { isRunning, isUndecided, type Principal, type Proposal } from '../../shared/model.ts';
import type { Cluster, Watched } from '../../shared/ports/cluster.ts';
import type { Store } from '../../shared/ports/store.ts';
import { type Gleaner, startGleaner } from '../../shared/worlds/gleaner.ts';
import type { Request } from '../cluster/bed/requester.ts';
import { until } from '../cluster/bed/until.ts';
import { gleanerKubeconfig, grantRights } from '../cluster/journeys/accounts.ts';
import { type FurnishedBed, furnishBed } from '../cluster/journeys/furnished-bed.ts';
import type { ShiftedClock } from '../cluster/journeys/shifted-clock.ts';
import { bareDatabase, type Page, record, reissue } from './record.ts';
import { median, ms, quantile, type Row } from './table.ts';

const RUNS = 200;
/** Runs before the first that counts: code that runs for the first time is compiled first. */
const WARMING = 10;
/** The mode that is timed: real rules on real objects. Its settle window is left out: nothing is done in it. */
const SUBJECT = drill.mode;
const hasty = modes.map((mode) => (mode.id === SUBJECT ? { ...mode, settle: '0s' as const } : mode));
/** Who decides here, about everything. */
const YOU: Principal = 'local:you';
const RULES = onePolicy({
  ...{ approvers: [YOU], quorum: 1, requesterMayApprove: true, reasonRequired: false },
  ...{ expiry: '24h', remind: '4h' },
});
const POOL_NAME = 'pool1';
const POOL = `/apis/loadbalancer.harvesterhci.io/v1beta1/ippools/${POOL_NAME}`;
const ACCOUNT = ['system:serviceaccount:gleaner:gleaner-applier', ['system:serviceaccounts']] as const;

/** Milliseconds of each run, and what one of them asked and wrote. */
interface Timed {
  readonly proposed: number[];
  readonly proposedBare: number[];
  readonly applied: number[];
  readonly appliedBare: number[];
  /** From the event of the watch to the stored proposal. */
  readonly sinceEvent: number[];
  pages: { toPropose: Page; toApply: Page };
}

/** The moments of one run, each `performance.now()`, as they happen. */
interface Moments {
  seen: PromiseWithResolvers<number>;
  stored: PromiseWithResolvers<{ at: number; proposal: Proposal }>;
  written: PromiseWithResolvers<number>;
}

const moments = (): Moments => ({
  seen: Promise.withResolvers(),
  stored: Promise.withResolvers(),
  written: Promise.withResolvers(),
});

/** How long it takes from a change to its proposal and from a decision to its write, on a real API server. */
export async function latency(): Promise<Row[]> {
  const stage = await furnishBed({ drills: [drill] });
  try {
    // The drill's actor would share this process, and ask the API server in the middle of what is timed.
    stage.pause(true);
    await grantRights(stage.hands, stage.flavour, hasty);
    return rowsOf(await timeAll(stage));
  } finally {
    await stage.bed.stop();
  }
}

async function timeAll(stage: FurnishedBed): Promise<Timed> {
  const { bed, clock } = stage;
  const turn = record();
  const now = { moments: moments() };
  const cluster = await connect({ kubeconfig: gleanerKubeconfig(bed), does: 'apply', clock, wall: systemClock });
  const gleaner = startGleaner({
    ...{ modes: hasty, clusters: [attended(cluster, clock, now)], rules: RULES, clock, wall: systemClock, chats: [] },
    state: join(bed.folder, 'gleaner.sqlite'),
    log: { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) },
    configurationTrouble: () => undefined,
  });
  attend(gleaner.world.store, now);
  const database = bareDatabase(join(bed.folder, 'bare.sqlite'));
  const bare = bed.as(...ACCOUNT);
  const timed: Timed = {
    ...{ proposed: [], proposedBare: [], applied: [], appliedBare: [], sinceEvent: [] },
    pages: { toPropose: { calls: [], writes: [] }, toApply: { calls: [], writes: [] } },
  };
  // A pool that is younger than a minute is being set up.
  clock.advance(120_000);
  const wipe = await wiper(bed.request);
  await bed.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'bare' } });
  const one = async (counts: boolean) => {
    await quiet(turn);
    now.moments = moments();
    const run = await timeOne(gleaner, now.moments, wipe, turn);
    await quiet(turn);
    const proposedBare = await reissue(run.toPropose, bare, bed.request, database);
    const appliedBare = await reissue(run.toApply, bare, bed.request, database);
    if (!counts) return;
    timed.proposed.push(run.proposed);
    timed.sinceEvent.push(run.sinceEvent);
    timed.applied.push(run.applied);
    timed.proposedBare.push(proposedBare);
    timed.appliedBare.push(appliedBare);
    timed.pages = run;
  };
  try {
    for (let run = -WARMING; run < RUNS; run += 1) {
      await one(run >= 0);
      await over(gleaner, stage);
    }
    return timed;
  } finally {
    await gleaner.stop();
    cluster.close();
    database.close();
  }
}

/** Breaks the pool, waits for the proposal, approves it, and waits for the write. */
async function timeOne(gleaner: Gleaner, { seen, stored, written }: Moments, wipe: () => Promise<void>, turn: Turn) {
  const answered = wipe().then(() => performance.now());
  // The change has happened when its answer or its event is here, whichever comes first.
  const changed = Promise.race([answered, seen.promise]);
  const { at, proposal } = await stored.promise;
  const toPropose = turn();
  const times = { proposed: at - (await changed), sinceEvent: at - (await seen.promise) };
  await quiet(turn);
  const clicked = performance.now();
  const { id, revision, found } = proposal;
  const plan = found.offer.plans[0]?.id ?? 'none';
  const answer = gleaner.desk.click(YOU, { choice: 'approve', proposal: id, revision, plan });
  const applied = (await written.promise) - clicked;
  const toApply = turn();
  await answer;
  return { ...times, applied, toPropose, toApply };
}

type Turn = ReturnType<typeof record>;

/** Waits until Gleaner asks and writes nothing any more. */
async function quiet(turn: Turn): Promise<void> {
  for (let still = 0; still < 3; ) {
    await pause(20);
    const { calls, writes } = turn();
    still = calls.length + writes.length === 0 ? still + 1 : 0;
  }
}

/** Lets the verification pass, and with it the incident. */
async function over({ world }: Gleaner, { clock }: FurnishedBed): Promise<void> {
  await until(
    'the fix is verified',
    async () => {
      const items = (await world.store.list('proposal')).map(({ item }) => item);
      const last = items.find(({ state, found }) => found.mode === SUBJECT && (isRunning(state) || isUndecided(state)));
      if (!last) return true;
      clock.advance(5_000);
      throw new Error(`${last.state}: ${last.because}; ${last.verdict?.because}`);
    },
    { everyMs: 20 },
  );
}

/** The cluster, telling when a change was seen and a write had its answer. */
const attended = (cluster: Cluster, clock: ShiftedClock, now: { moments: Moments }): Cluster => ({
  ...cluster,
  // A picture's moment is the API server's, whose clock nobody pushed ahead.
  async look(rights) {
    const picture = await cluster.look(rights);
    return { ...picture, at: new Date(picture.at.getTime() + clock.ahead()) };
  },
  watch: (wakes, tell, signal) =>
    cluster.watch(
      wakes,
      (what) => {
        if (isOfPool(what)) now.moments.seen.resolve(performance.now());
        tell(what);
      },
      signal,
    ),
  async touch(touch) {
    const touched = await cluster.touch(touch);
    if (touched.is === 'applied') now.moments.written.resolve(performance.now());
    return touched;
  },
});

const isOfPool = (what: Watched) => what.is === 'changed' && what.objects.some(({ name }) => name === POOL_NAME);

/** Tells when a new proposal is in the store. */
function attend(store: Store, now: { moments: Moments }): void {
  const { put } = store;
  store.put = async (table, item, version) => {
    const said = await put(table, item, version);
    if (said.ok && version === 0 && 'found' in item && item.found.mode === SUBJECT) {
      now.moments.stored.resolve({ at: performance.now(), proposal: item });
    }
    return said;
  };
}

/** Saves the pool as the UI extension does: whole, without its status. */
async function wiper(request: Request): Promise<() => Promise<void>> {
  const { body } = await request('GET', POOL);
  const { apiVersion, kind, metadata, spec } = Object(body);
  const { name, labels, finalizers } = metadata;
  return async () => {
    const { metadata: current } = Object((await request('GET', POOL)).body);
    const { resourceVersion } = current;
    const { code } = await request('PUT', POOL, {
      ...{ apiVersion, kind, spec, metadata: { name, labels, finalizers, resourceVersion } },
    });
    if (code !== 200) throw new Error(`The pool could not be saved: ${code}`);
  };
}

function rowsOf({ proposed, proposedBare, applied, appliedBare, sinceEvent, pages }: Timed): Row[] {
  const told = ({ calls, writes }: Page) => `bare: ${calls.length} API calls, ${writes.length} durable writes`;
  const pair = (what: string, ours: readonly number[], bare: readonly number[], page: Page, most: number): Row[] => {
    const ratio = median(ours) / median(bare);
    return [
      {
        ...{
          what: `${what}, p50 of ${ours.length}`,
          measured: ms(median(ours)),
          ratio,
          aim: '<= 3',
          holds: ratio <= 3,
        },
        beside: `${ms(median(bare))} ${told(page)}`,
      },
      {
        ...{ what: `${what}, p95`, measured: ms(quantile(ours, 0.95)), aim: `< ${most} ms` },
        ...{ beside: ms(quantile(bare, 0.95)), ratio: quantile(ours, 0.95) / quantile(bare, 0.95) },
        holds: quantile(ours, 0.95) < most,
      },
    ];
  };
  return [
    ...pair('change to stored proposal with diff', proposed, proposedBare, pages.toPropose, 50),
    ...pair('  of that, from the event of the watch', sinceEvent, proposedBare, pages.toPropose, 50),
    ...pair('decision to applied write', applied, appliedBare, pages.toApply, 100),
  ];
}
