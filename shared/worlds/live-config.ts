import { statSync } from 'node:fs';
import { type Config, policyFor } from '../config.ts';
import { riskOf } from '../flow/propose.ts';
import type { Rules } from '../flow/world.ts';
import { milliseconds } from '../handler.ts';
import type { Proposal } from '../model.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Log } from '../runtime/log.ts';
import { rulesOf } from './rules.ts';
import { load } from './settings.ts';

const LOOK = milliseconds('5s');

/** A configuration that follows its file. A bad file keeps the old one in force, and `trouble` says so. */
export interface LiveConfig {
  current(): Config;
  trouble(): string | undefined;
  /** The policy in force; `nameOf` turns a cluster's id into the name that the file uses. */
  rules(nameOf: (cluster: string) => string): Rules;
  /** The channel that the policy names for a proposal, or the one of everything else. */
  channelOf(nameOf: (cluster: string) => string): (proposal: Proposal | undefined) => string | undefined;
  /** A cluster that is only observed from the moment on at which the file says so. */
  held<C extends Pick<Cluster, 'name' | 'does'>>(cluster: C): C;
  stop(): void;
}

export function liveConfig(first: Config, file: string | undefined, clock: Clock, log: Log): LiveConfig {
  const names = first.clusters.map(({ name }) => name);
  const named = file === undefined ? [] : load(file, names).clusters;
  let current = first;
  let trouble: string | undefined;
  let seen = file === undefined ? '' : stampOf(file);
  let cancel = () => {};
  const look = () => {
    if (file === undefined) return;
    const stamp = stampOf(file);
    if (stamp !== seen) {
      seen = stamp;
      try {
        const next = load(file, names);
        const held = (clusters: Config['clusters']) => clusters.map((one) => ({ ...one, mode: modeIn(next, one) }));
        const moved = JSON.stringify(next.clusters) !== JSON.stringify(held(named));
        current = { ...next, clusters: held(first.clusters) };
        trouble = moved ? `${file} names other clusters now: start Gleaner again to follow them` : undefined;
        log.info({ file }, 'the configuration was read again');
      } catch (error) {
        trouble = `${file} is not in force, the one before it is: ${Object(error).message}`;
        log.error({ file, because: Object(error).message }, 'the configuration cannot be read');
      }
    }
    cancel = clock.after(LOOK, look);
  };
  cancel = clock.after(LOOK, look);
  return {
    current: () => current,
    trouble: () => trouble,
    held: (cluster) => ({
      ...cluster,
      get does() {
        const mode = current.clusters.find(({ name }) => name === cluster.name)?.mode;
        return mode === 'apply' ? cluster.does : 'observe';
      },
    }),
    rules: (nameOf) => rulesOf(() => current, nameOf),
    channelOf: (nameOf) => (proposal) => {
      const of = proposal && { mode: proposal.found.mode, risk: riskOf(proposal.found) };
      const tier = proposal && of && policyFor(current, { ...of, cluster: nameOf(proposal.cluster) });
      return tier?.channel ?? current.slack.channel;
    },
    stop: () => cancel(),
  };
}

/** That a cluster is only observed is in force at once; that it may be touched, after a new start. */
const modeIn = ({ clusters }: Config, { name, mode }: Config['clusters'][number]) =>
  clusters.find((one) => one.name === name)?.mode === 'apply' ? mode : 'observe';

/** Changes whenever the file does; a file that is not there has a stamp of its own. */
function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return 'gone';
  }
}
