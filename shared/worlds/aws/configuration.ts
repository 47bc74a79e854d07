import { modes } from '../../../handlers/index.ts';
import type { Parameter } from '../../adapters/ssm/parameters.ts';
import { type Config, readConfig } from '../../config.ts';
import { milliseconds } from '../../handler.ts';
import { rulesOf } from '../rules.ts';
import type { Base, Delivery } from './base.ts';
import { setting } from './environment.ts';

/** A change of gleaner.yaml is in force everywhere after so long. */
const KEPT = milliseconds('60s');
/** While SSM cannot be read, what was in force stays so: not for ever, for somebody may have been taken off the list. */
const TRUSTED = milliseconds('10m');
/** How many versions are looked through for one that can be read. */
const BACK = 20;

/** A misspelt mode in the policy would be a rule that never holds. */
const known = { modes: modes.map(({ id }) => id) };

type ConfigurationParts = Pick<Base, 'env' | 'log' | 'machine' | 'parameters'>;

/**
 * gleaner.yaml as the parameter GLEANER_CONFIG holds it. The newest version that can be read is in force, so that every
 * function, however newly started, has the same one; of a newer one that cannot be read the log tells, as an error.
 * Throws where there is none: a policy that is not known is no policy.
 */
export function configuration({ env, log, machine, parameters }: ConfigurationParts): () => Promise<Config> {
  const name = setting(env, 'GLEANER_CONFIG');
  let inForce: { readonly config: Config; readonly at: number } | undefined;
  let toldOf = 0;

  function tell(version: number, problems: readonly string[]): void {
    if (version <= toldOf) return;
    toldOf = version;
    log.error(
      { parameter: name, version, problems: problems.slice(0, 10) },
      'gleaner.yaml cannot be read: the version before it stays in force',
    );
  }

  async function newestThatReads(newest: Extract<Parameter, { is: 'there' }>): Promise<Config> {
    let found: Parameter = newest;
    for (let version = newest.version; version > Math.max(0, newest.version - BACK); version--) {
      if (version < newest.version) found = await parameters.version(name, version);
      if (found.is !== 'there') throw new Error(`No version of gleaner.yaml is in force: ${found.because}`);
      const read = readConfig(found.value, known);
      if (read.ok) return read.config;
      tell(version, read.problems);
    }
    throw new Error(`No version of gleaner.yaml in the parameter ${name} can be read: put one there that can`);
  }

  return async () => {
    const now = machine.now().getTime();
    const newest = await parameters.newest(name, KEPT);
    if (newest.is === 'there') {
      const config = await newestThatReads(newest);
      inForce = { config, at: now };
      return config;
    }
    if (newest.is === 'unreadable' && inForce && now - inForce.at <= TRUSTED) return inForce.config;
    throw new Error(`gleaner.yaml is not known: ${newest.because}`);
  };
}

/** The policy as hops ask it, by the names of the clusters that are registered. */
export function policed(base: ConfigurationParts) {
  const current = configuration(base);
  return async ({ registered }: Pick<Delivery, 'registered'>) => {
    // One delivery is judged by one configuration, from its beginning to its end.
    const config = await current();
    return {
      rules: rulesOf(
        () => config,
        (id) => registered.get(id)?.name ?? id,
      ),
    };
  };
}
