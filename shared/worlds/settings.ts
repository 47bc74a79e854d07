import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { modes } from '../../handlers/index.ts';
import { type Config, readConfig } from '../config.ts';
import { Principal } from '../model.ts';
import { type SlackSettings, slackSettings } from './slack.ts';

/** What `npm start -- …` was told. */
export interface Settings {
  readonly config: Config;
  /** The configuration file, to be read again when it changes; undefined where the command line says it all. */
  readonly file: string | undefined;
  /** Nothing to follow was named: the playground starts. */
  readonly isPlayground: boolean;
  readonly speed: number;
  /** Slack's part of the environment; undefined: the page and the terminal are all there is. */
  readonly slack: SlackSettings | undefined;
  /** Who may approve in the playground beside whoever started it: SLACK_APPROVERS, such as `slack:U0123,slack:U0456`. */
  readonly guests: readonly Principal[];
}

/** The options of `gleaner start`. */
export interface StartOptions {
  readonly kubeconfig?: readonly string[];
  readonly server?: readonly string[];
  readonly context?: string;
  readonly config?: string;
  readonly state?: string;
  readonly port?: string;
  readonly speed?: string;
}

/** A misspelt mode or cluster in the policy would be a rule that never holds. */
const knownWith = (clusters: readonly string[]) => ({ modes: modes.map(({ id }) => id), clusters });

const DEFAULT_FILE = 'gleaner.yaml';
/** How many times faster than life a playground runs that a person watches. */
const SPEED = 20;

/**
 * Reads the command line, the environment and gleaner.yaml. An ambient kubeconfig is never used: only what was named,
 * or the identity of the pod that this runs in. Throws an Error with every problem of the file, one a line.
 */
export function settings(values: StartOptions, env: Readonly<Record<string, string | undefined>>): Settings {
  const { kubeconfig: kubeconfigs = [], server: servers = [] } = values;
  const state = values.state ?? env.GLEANER_STATE;
  const named = values.config ?? env.GLEANER_CONFIG;
  const file = named ?? (existsSync(DEFAULT_FILE) && kubeconfigs.length === 0 ? DEFAULT_FILE : undefined);
  const given = kubeconfigs.map((kubeconfig) => ({
    ...{ name: basename(kubeconfig).replace(/\.(ya?ml|conf|kubeconfig)$/, ''), kubeconfig, mode: 'observe' as const },
    servers: [...servers],
    ...(values.context !== undefined && { context: values.context }),
  }));
  const inside =
    env.KUBERNETES_SERVICE_HOST === undefined ? [] : [{ name: 'this cluster', servers: [], mode: 'observe' as const }];
  const config =
    file === undefined
      ? defaults()
      : load(
          file,
          [...given, ...inside].map(({ name }) => name),
        );
  const clusters = [...config.clusters, ...given];
  return {
    config: {
      ...config,
      clusters: clusters.length > 0 ? clusters : inside,
      page: { ...config.page, ...(values.port !== undefined && { port: Number(values.port) }) },
      ...(state !== undefined && { state }),
    },
    file,
    isPlayground: clusters.length + inside.length === 0 && file === undefined,
    speed: Number(values.speed ?? SPEED),
    slack: slackSettings(env),
    guests: (env.SLACK_APPROVERS ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter((text) => Principal.safeParse(text).success),
  };
}

function defaults(): Config {
  const read = readConfig('');
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

/** Reads and checks a configuration file. `others`: clusters that are followed and that it does not name. */
export function load(file: string, others: readonly string[] = []): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${Object(error).message ?? String(error)}`);
  }
  const read = readConfig(text, knownWith(others));
  if (!read.ok) throw new Error(read.problems.map((problem) => `${file}: ${problem}`).join('\n'));
  return read.config;
}
