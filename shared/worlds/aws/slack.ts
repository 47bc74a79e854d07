import * as z from 'zod';
import { type DirectoryParts, slackDirectory } from '../../adapters/slack/directory.ts';
import { failureOf } from '../../adapters/slack/refusals.ts';
import { type SlackApi, slackApi } from '../../adapters/slack/web-api.ts';
import { milliseconds } from '../../handler.ts';
import type { Directory, Says } from '../../ports/directory.ts';
import type { Base } from './base.ts';
import { setting } from './environment.ts';

/** A token or a secret that was exchanged is used everywhere after so long. */
const KEPT = milliseconds('60s');

/** A workspace, as the token says that we are in it. `home` is undefined while Slack has not said it. */
export interface Workspace {
  readonly api: SlackApi;
  readonly directory: Directory;
  readonly home: Home | undefined;
}

type Home = Pick<DirectoryParts, 'team' | 'enterprise'>;
type SlackParts = Pick<Base, 'env' | 'log' | 'machine' | 'parameters'>;

/** A secret by the variable that names its parameter; undefined: there is no such parameter. Throws where it cannot be read. */
export async function secret({ env, parameters }: SlackParts, variable: string): Promise<string | undefined> {
  const found = await parameters.newest(setting(env, variable), KEPT);
  if (found.is === 'there') return found.value.trim();
  if (found.is === 'absent') return undefined;
  throw new Error(`Slack cannot be asked: ${found.because}`);
}

/** Slack by the bot token in the parameter GLEANER_SLACK_TOKEN. The answer gives the workspace as it stands now. */
export function slack(parts: SlackParts): () => Promise<Workspace> {
  let kept: { readonly token: string; readonly unknown: Workspace; known?: Workspace } | undefined;

  return async () => {
    const token = await secret(parts, 'GLEANER_SLACK_TOKEN');
    if (!token) throw new Error(`Slack cannot be asked: there is no parameter ${parts.env.GLEANER_SLACK_TOKEN}`);
    if (kept?.token !== token) {
      const api = slackApi({ token, url: parts.env.SLACK_API_URL });
      kept = { token, unknown: { api, directory: closed, home: undefined } };
    }
    const line = kept;
    line.known ??= await asked(line.unknown.api, parts);
    return line.known ?? line.unknown;
  };
}

const Auth = z.object({ team_id: z.string(), enterprise_id: z.string().nullish() });

async function asked(api: SlackApi, { log, machine }: SlackParts): Promise<Workspace | undefined> {
  const called = await api.call('auth.test', {}, Auth);
  if (called.is !== 'ok') {
    log.warn(
      { because: failureOf(called) },
      'Slack does not say which workspace this is: nobody is known until it does',
    );
    return undefined;
  }
  const home: Home = { team: called.value.team_id, enterprise: called.value.enterprise_id ?? undefined };
  return { api, home, directory: slackDirectory({ api, clock: machine, ...home }) };
}

const doubt: Says = { is: 'unreadable', because: 'Slack does not say which workspace this is' };

/** A directory that cannot be asked: nobody is known, and nobody may decide. */
const closed: Directory = { isMember: async () => doubt, belongs: async () => doubt, fresh: () => closed };

/** Who people are, for the hops that ask. */
export function peopled(base: SlackParts) {
  const workspace = slack(base);
  return async () => ({ directory: (await workspace()).directory });
}
