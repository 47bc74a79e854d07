import { modes } from '../../../handlers/index.ts';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { connect } from '../../../shared/adapters/kubernetes/connect.ts';
import { openCluster } from '../../../shared/adapters/kubernetes/open.ts';
import { onePolicy } from '../../../shared/flow/world.ts';
import type { Mode, ProbeResult } from '../../../shared/handler.ts';
import { isRunning, isUndecided, type Principal, type Proposal } from '../../../shared/model.ts';
import { HARVESTER_KUBERNETES } from '../../../shared/playground/base/harvester.ts';
import type { Chat } from '../../../shared/ports/chat.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { Answer, Asked } from '../../../shared/ports/desk.ts';
import type { Log } from '../../../shared/runtime/log.ts';
import { type Gleaner, startGleaner } from '../../../shared/worlds/gleaner.ts';
import { until } from '../bed/until.ts';
import { gleanerKubeconfig, grantRights } from './accounts.ts';
import type { FurnishedBed } from './furnished-bed.ts';
import type { ShiftedClock } from './shifted-clock.ts';

/** Who decides in a journey. */
export const YOU: Principal = 'local:you';

/** One person may approve everything; cards expire and remind as shipped. */
const RULES = onePolicy({
  ...{ approvers: [YOU], quorum: 1, requesterMayApprove: true, reasonRequired: false },
  ...{ expiry: '24h', remind: '4h' },
});

/** How long a wait goes on in real time, and how many milliseconds of the shifted clock each poll lets pass. */
export interface Patience {
  readonly step?: number;
  readonly withinMs?: number;
}

/** Lets time pass on a clock until `probe` gives something, and gives that back. */
export async function inTime<T>(
  clock: { advance(ms: number): void },
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  { step = 3_000, withinMs = 60_000 }: Patience = {},
): Promise<T> {
  let answer: T | undefined;
  const poll = async () => {
    try {
      answer = await probe();
    } finally {
      if (answer === undefined) clock.advance(step);
    }
    return answer;
  };
  return until(what, poll, { withinMs });
}

/** A whole Gleaner that follows a bed with the rights that are generated for it, and what a person does on its page. */
export interface Following {
  readonly gleaner: Gleaner;
  /** Warnings of the hops and of the adapter, for a test that fails. */
  readonly warnings: readonly string[];
  proposals(mode: string): Promise<readonly Proposal[]>;
  /** Waits for the one card of a mode that awaits a decision; `plan`: and that offers this plan first. */
  card(mode: string, patience?: Patience & { readonly plan?: string }): Promise<Proposal>;
  /** Approves a card's plan, by default the first one. */
  approve(card: Proposal, plan?: string): Promise<Answer>;
  click(card: Proposal, choice: Asked['choice']): Promise<Answer>;
  /** Waits until a run is over, or the card is closed otherwise. */
  ended(card: Proposal, patience?: Patience): Promise<Proposal>;
  stop(): Promise<void>;
}

/** The part of a furnished bed that Gleaner needs. */
export type Stage = Pick<FurnishedBed, 'bed' | 'clock' | 'hands' | 'flavour'> & { readonly vip?: string };

/** What a Gleaner is started with. */
export interface Start {
  readonly kubeconfig: string;
  readonly clock: ShiftedClock;
  readonly state: string;
  readonly chats?: readonly Chat[];
  /** Default: every mode, as shipped. */
  readonly modes?: readonly Mode[] | undefined;
  readonly warn: (because: string) => void;
  /** Where the virtual IP answers, where it is asked for. */
  readonly vip?: string | undefined;
}

/** Connects to the cluster that a kubeconfig names, and starts a Gleaner that may touch it. */
export async function startOn({ kubeconfig, clock, state, chats = [], modes, warn, vip }: Start): Promise<Gleaner> {
  const log: Log = {
    info() {},
    warn: (fields, message) => warn(`${message} ${JSON.stringify(fields)}`),
    error: (fields, message) => warn(`${message} ${JSON.stringify(fields)}`),
  };
  const cluster = await connect({ name: 'bed', kubeconfig, does: 'apply', clock, wall: systemClock, warn });
  const gleaner = startGleaner({
    clusters: [{ ...cluster, look: fromTheBed(cluster, clock, vip) }],
    ...{ rules: RULES, clock, wall: systemClock, state, chats, log },
    ...(modes && { modes }),
    configurationTrouble: () => undefined,
  });
  return {
    ...gleaner,
    async stop() {
      await gleaner.stop();
      cluster.close();
    },
  };
}

/**
 * A picture's moment is the API server's, whose clock nobody pushed ahead; its release is newer than the one that the
 * objects speak of; and the address of a real cluster's VIP is asked at port 443, where not everybody may listen.
 */
const fromTheBed =
  (cluster: Cluster, clock: ShiftedClock, vip: string | undefined): Cluster['look'] =>
  async (rights) => {
    const picture = await cluster.look(rights);
    return {
      ...picture,
      at: new Date(picture.at.getTime() + clock.ahead()),
      version: async () => ({ ...(await picture.version()), kubernetes: HARVESTER_KUBERNETES }),
      probe: (what) => (what === 'vip' && vip !== undefined ? knock(vip) : picture.probe(what)),
    };
  };

async function knock(vip: string): Promise<ProbeResult> {
  try {
    const { ok, status } = await fetch(`${vip}/version`, { signal: AbortSignal.timeout(300) });
    return { ok, because: `${vip} answers ${status}` };
  } catch (error) {
    return { ok: false, because: `${vip}: ${error}` };
  }
}

/** How a Gleaner follows a bed. */
interface FollowOptions {
  readonly state?: string;
  /** Another way to its API server. */
  readonly server?: string;
  readonly modes?: readonly Mode[];
}

/** The modes as they are where only what the watch tells makes them look again. */
export const listening = modes.map((mode): Mode => ({ ...mode, again: '365d' }));

/** The modes as they are where the watch tells them nothing, and the clock alone makes them look again. */
export const deaf = modes.map((mode): Mode => ({ ...mode, triggers: [] }));

/** An API server goes by what it has read of roles, and reads it a moment after they were written. */
async function rightsAreInForce(kubeconfig: string, flavour: Stage['flavour']): Promise<void> {
  const mine = modes.filter(({ on }) => on === flavour);
  await until("everything that the modes read can be read with Gleaner's rights", async () => {
    const opened = await openCluster({ kubeconfig, clock: systemClock, reads: [] });
    if (!opened.ok) throw new Error(opened.because);
    const { source } = opened;
    try {
      for (const { rights } of mine) {
        const look = await source.look(rights);
        for (const { kind, namespace } of rights.read) await look.captured(kind, namespace);
      }
      const [missing] = source.warnings();
      if (missing) throw new Error(`${missing.where}: ${missing.because}`);
      return true;
    } finally {
      await source.close();
    }
  });
}

/** Lets Gleaner follow a bed, with the rights that are generated for it. */
export async function follow(
  stage: Stage,
  { state = ':memory:', server, modes: known }: FollowOptions = {},
): Promise<Following> {
  const { bed, clock, hands, flavour, vip } = stage;
  const kubeconfig = gleanerKubeconfig(bed, server);
  await grantRights(hands, flavour, modes);
  await rightsAreInForce(kubeconfig, flavour);
  const warnings: string[] = [];
  const warn = (because: string) => void warnings.push(because);
  const gleaner = await startOn({ kubeconfig, clock, state, modes: known, warn, vip });
  const { store } = gleaner.world;
  const proposals = async (mode: string) =>
    (await store.list('proposal')).map(({ item }) => item).filter(({ found }) => found.mode === mode);
  const click = (card: Proposal, choice: Asked['choice'], plan?: string) =>
    gleaner.desk.click(YOU, {
      choice,
      proposal: card.id,
      revision: card.revision,
      ...(plan !== undefined && { plan }),
    });
  return {
    gleaner,
    warnings,
    proposals,
    card: (mode, patience) =>
      inTime(
        clock,
        `a card of ${mode}`,
        async () => {
          const open = (await proposals(mode)).filter(({ state }) => isUndecided(state));
          if (open.length > 1) throw new Error(`${open.length} cards: ${open.map(({ found }) => found.summary)}`);
          const first = open[0]?.found.offer.plans[0]?.id;
          if (patience?.plan !== undefined && first !== patience.plan) throw new Error(`it offers ${first}`);
          return open[0];
        },
        patience,
      ),
    approve: (card, plan = card.found.offer.plans[0]?.id ?? 'none') => click(card, 'approve', plan),
    click,
    ended: ({ id, found }, patience) =>
      inTime(
        clock,
        `the end of ${found.summary}`,
        async () => {
          const row = await store.get('proposal', id);
          if (!row || isRunning(row.item.state) || isUndecided(row.item.state)) throw new Error(standing(row?.item));
          return row.item;
        },
        patience,
      ),
    stop: () => gleaner.stop(),
  };
}

/** How far a run has come, for who waits for its end in vain. */
function standing(item: Proposal | undefined): string {
  if (!item) return 'it is not in the store';
  const { steps, recovery } = item.run;
  const last = [...steps, ...recovery].at(-1);
  return `${item.state}, step ${steps.length}, recovery ${recovery.length}: ${last?.is} ${last?.because}; ${item.verdict?.because}`;
}

/** The states that a proposal went through, without the stages of its steps. */
export const states = ({ timeline }: Proposal): readonly string[] =>
  timeline.map(({ is }) => is).filter((is) => !is.startsWith('step '));
