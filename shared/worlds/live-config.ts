import { statSync } from 'node:fs';
import { type Config, namesOf, personOf, policyFor } from '../config.ts';
import { riskOf } from '../flow/propose.ts';
import type { Rules } from '../flow/world.ts';
import { milliseconds } from '../handler.ts';
import type { Proposal } from '../model.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../runtime/log.ts';
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
  stop(): void;
}

export function liveConfig(first: Config, file: string | undefined, clock: Clock, log: Log): LiveConfig {
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
        const next = load(file);
        const moved = JSON.stringify(next.clusters) !== JSON.stringify(current.clusters);
        current = { ...next, clusters: current.clusters };
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
    rules: (nameOf) => ({
      policy: (of) => policyFor(current, { ...of, cluster: nameOf(of.cluster) }),
      person: (principal) => personOf(current, principal),
      names: (principal) => namesOf(current, principal),
      text: () => JSON.stringify({ policy: current.policy, people: current.people }),
    }),
    channelOf: (nameOf) => (proposal) => {
      const of = proposal && { mode: proposal.found.mode, risk: riskOf(proposal.found) };
      const tier = proposal && of && policyFor(current, { ...of, cluster: nameOf(proposal.cluster) });
      return tier?.channel ?? current.slack.channel;
    },
    stop: () => cancel(),
  };
}

/** Changes whenever the file does; a file that is not there has a stamp of its own. */
function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return 'gone';
  }
}
