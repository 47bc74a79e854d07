import type { Versions } from '../../handler.ts';
import { ConfigMap, Setting } from '../../kinds.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Picture } from '../../ports/cluster.ts';
import type { Warning } from '../../ports/source.ts';
import { versionsOf } from '../../versions.ts';
import { type Answered, because, type Send } from './answer.ts';
import type { Discovery } from './discovery.ts';
import type { Grace } from './grace.ts';
import { versionIn } from './introduce.ts';
import { logReader } from './log.ts';
import { prober } from './probe.ts';
import { type Sight, sight } from './sight.ts';

/** One moment of a cluster, before the rights of a mode narrow it. */
export interface Scene {
  readonly at: Date;
  readonly sight: Sight;
  readonly log: Picture['log'];
  readonly probe: Picture['probe'];
  version(): Promise<Versions>;
}

export interface SceneOptions {
  readonly send: Send;
  readonly discovery: Discovery;
  readonly grace: Grace;
  readonly clock: Pick<Clock, 'now'>;
  readonly wall: Clock;
  /** Every server is plain HTTP on this machine. */
  readonly isPretended: boolean;
  readonly name: string;
  warn(warning: Warning): void;
}

/**
 * Opens the eyes. Throws where no API server answers at all, or not yet with its version: to see nothing is not to see
 * that nothing is there.
 */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const { send, discovery, grace, clock, wall, isPretended, name, warn } = options;
  const answer = await send({ method: 'GET', path: '/version' });
  if (answer.is !== 'answered') {
    grace.renew();
    throw new Error(`The API server of ${name} does not answer: ${answer.because}`);
  }
  if (answer.code === 200) grace.succeeded('/version');
  else grace.failed('/version', because(answer));
  const seen = sight({ send, discovery, grace, warn });
  const kubernetes = versionIn(answer)?.gitVersion;
  return {
    at: dateOf(answer) ?? clock.now(),
    sight: seen,
    log: logReader(send, grace, warn),
    probe: prober({ send, wall, isPretended, vip: () => vipOf(seen) }),
    version: async () => ({ ...(await versionsIn(seen, discovery)), ...(kubernetes !== undefined && { kubernetes }) }),
  };
}

/** The virtual IP that Harvester's installer wrote down. */
export const vipOf = async (seen: Sight) => (await seen.get(ConfigMap, 'harvester-system', 'vip'))?.data?.ip;

/** Nodes tell Harvester's release only where its own setting does not: a large cluster's are not read for nothing. */
async function versionsIn(seen: Sight, discovery: Discovery): Promise<Versions> {
  const setting = await seen.get(Setting, undefined, 'server-version');
  const isTold = Boolean(setting?.value || setting?.default) || (await discovery.find(Setting)).is !== 'served';
  return versionsOf({
    get: (kind, { namespace, name }) => seen.get(kind, namespace, name),
    list: async (kind, where = {}) => (isTold ? [] : seen.list(kind, where)),
  });
}

function dateOf({ headers }: Answered): Date | undefined {
  const time = Date.parse(headers.date ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
