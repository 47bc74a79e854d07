import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drills } from '../../handlers/drills.ts';
import { scaledClock } from '../adapters/clock/scaled.ts';
import { systemClock } from '../adapters/clock/system.ts';
import { connect } from '../adapters/kubernetes/connect.ts';
import { onePolicy } from '../flow/world.ts';
import type { Principal } from '../model.ts';
import { type PretendCluster, startPretendCluster } from '../playground/start-pretend-cluster.ts';
import { type Chat, TOLD } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type Gleaner, startGleaner } from './gleaner.ts';
import type { Slack } from './slack.ts';

/** Whom the playground's own policy allows. */
export const YOU: Principal = 'local:you';

/** In the playground whoever started it may try everything, with the shipped expiry and reminders of the lowest tier. */
const rulesFor = (guests: readonly Principal[]) =>
  onePolicy({
    ...{ approvers: [YOU, ...guests], quorum: 1, requesterMayApprove: true, reasonRequired: false },
    ...{ expiry: '24h', remind: '4h' },
  });

export interface Playground {
  readonly gleaner: Gleaner;
  readonly clock: Clock;
  readonly clusters: readonly PretendCluster[];
  break(mode: string): Promise<void>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts two pretend clusters and a whole Gleaner that follows them, all on one clock that runs `speed` times faster than life. */
export async function startPlayground(options: {
  speed: number;
  log: Log;
  chats?: readonly Chat[];
  /** Default: in memory. */
  state?: string;
  slack?: Slack | undefined;
  /** Who may decide beside whoever started it. */
  guests?: readonly Principal[];
}): Promise<Playground> {
  const { speed, log, chats = [], state = ':memory:', slack, guests = [] } = options;
  const clock = scaledClock(systemClock.now(), speed);
  const trouble = (actor: string, error: unknown) => log.warn({ actor, because: String(error) }, 'an actor stumbled');
  const pretend = await Promise.all([
    startPretendCluster({ flavour: 'harvester', name: 'barn', clock, drills, trouble }),
    startPretendCluster({ flavour: 'rancher', name: 'rancher', clock, drills, trouble }),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-playground-'));
  const connected = await Promise.all(pretend.map((cluster) => joined(cluster, folder, { clock, speed, log })));
  const broken = new Set<string>();
  const of = (mode: string) => pretend.find((cluster) => cluster.drills.some((drill) => drill.mode === mode));

  async function breakIt(mode: string) {
    broken.add(mode);
    await of(mode)?.break(mode);
  }
  async function reset() {
    broken.clear();
    await Promise.all(pretend.map((cluster) => cluster.reset()));
  }
  const controls = {
    speed,
    get drills() {
      return drills.map(({ mode, title }) => ({ mode, title, broken: broken.has(mode) }));
    },
    break: breakIt,
    reset,
  };
  const gleaner = startGleaner({
    clusters: connected,
    rules: rulesFor(guests),
    slack,
    ...{ clock, wall: systemClock, state, log },
    chats: [...chats, aftermath(pretend, broken)],
    configurationTrouble: () => undefined,
    playground: controls,
  });
  return {
    ...{ gleaner, clock, clusters: pretend, break: breakIt, reset },
    async stop() {
      await gleaner.stop();
      await Promise.all(pretend.map((cluster) => cluster.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function joined(
  { name, kubeconfig }: PretendCluster,
  folder: string,
  { clock, speed, log }: { clock: Clock; speed: number; log: Log },
) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, kubeconfig(), { mode: 0o600 });
  const warn = (because: string) => log.warn({ cluster: name }, because);
  return connect({ ...{ name, kubeconfig: file, does: 'apply', clock, wall: systemClock, speed, warn } });
}

/** Lets the pretend world go on once a fault is mended: what follows by itself, such as the end of an upgrade. */
function aftermath(pretend: readonly PretendCluster[], broken: Set<string>): Chat {
  return {
    async show({ found, cluster, undoes }, { event }) {
      if (event !== 'fixed' && event !== 'withdrawn') return TOLD;
      if (undoes !== undefined || !broken.delete(found.mode)) return TOLD;
      await pretend.find(({ id }) => id === cluster)?.afterwards(found.mode);
      return TOLD;
    },
    answer: async () => TOLD,
    reply: async () => TOLD,
    announce: async () => TOLD,
  };
}
