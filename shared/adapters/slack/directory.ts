import * as z from 'zod';
import type { From, Principal } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Directory, Says } from '../../ports/directory.ts';
import { recent } from './recent.ts';
import { failureOf } from './refusals.ts';
import type { Called, SlackApi } from './web-api.ts';

/** An answer is no older: who was removed may decide for so long, and `apply` asks without it. */
const KEPT = 60_000;

export interface DirectoryParts {
  readonly api: SlackApi;
  readonly clock: Pick<Clock, 'now'>;
  /** Our workspace (`T…`), and the organisation that it belongs to (`E…`), as `auth.test` names them. */
  readonly team: string;
  readonly enterprise?: string | undefined;
}

/** Who people are, as Slack says. Whatever cannot be found out is no yes. Principals of other systems are not its business. */
export function slackDirectory({ api, clock, team, enterprise }: DirectoryParts): Directory {
  const home = { team, enterprise };
  const person = async (id: string) => personSays(await api.call('users.info', { user: id }, UserAnswer), id, home);
  const members = async (id: string) =>
    membersOf(await api.call('usergroups.users.list', { usergroup: id }, GroupAnswer), id);
  const people = recent({ clock, kept: KEPT, ask: person, isKept: (says) => says.is !== 'unreadable' });
  const groups = recent({ clock, kept: KEPT, ask: members, isKept: (says) => says.is !== 'unreadable' });
  const anew = (): Directory => through(person, members);
  const through = (askPerson: typeof person, askGroup: typeof members): Directory => ({
    async isMember(who, from) {
      const [system, id] = partsOf(who);
      if (system === 'local') return { is: 'yes' };
      if (system !== 'slack') return no(`${who} is no person`);
      return foreign(who, from, home) ?? askPerson(id);
    },
    async belongs(who, group) {
      const [[system, id], [kind, of]] = [partsOf(who), partsOf(group)];
      if (system !== 'slack' || kind !== 'slack-group') return no(`${group} is no group that ${who} could belong to`);
      const says = await askGroup(of);
      if (says.is !== 'members') return says;
      return says.members.has(id) ? { is: 'yes' } : no(`${who} is not in ${group}`);
    },
    fresh: anew,
  });
  return through(people, groups);
}

interface Home {
  readonly team: string;
  readonly enterprise: string | undefined;
}

const no = (because: string): Extract<Says, { is: 'no' }> => ({ is: 'no', because });

function partsOf(principal: Principal): readonly [system: string, id: string] {
  const colon = principal.indexOf(':');
  return [principal.slice(0, colon), principal.slice(colon + 1)];
}

/** The same id may name somebody else in another workspace. */
function foreign(who: Principal, from: From | undefined, { team, enterprise }: Home): Says | undefined {
  if (from === undefined || from.team === team || from.team === enterprise) return undefined;
  return no(`${who} came from another workspace`);
}

/** Absent means false (docs.slack.dev/reference/objects/user-object): bots and deleted users lack most fields. */
const flag = z.boolean().default(false);
const UserAnswer = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string().optional(),
    deleted: flag,
    is_bot: flag,
    is_workflow_bot: flag,
    is_restricted: flag,
    is_ultra_restricted: flag,
    is_stranger: flag,
    is_invited_user: flag,
    enterprise_user: z
      .object({ enterprise_id: z.string().optional(), teams: z.array(z.string()).optional() })
      .optional(),
  }),
});
type User = z.infer<typeof UserAnswer>['user'];

const UNKNOWN_PEOPLE = new Set(['user_not_found', 'user_not_visible', 'users_not_found']);

function personSays(called: Called<{ user: User }>, id: string, home: Home): Says {
  if (called.is === 'refused' && UNKNOWN_PEOPLE.has(called.code)) return no('Slack knows no such person');
  if (called.is !== 'ok') return { is: 'unreadable', because: failureOf(called) };
  const { user } = called.value;
  if (user.id !== id) return { is: 'unreadable', because: 'Slack told of another person than was asked for' };
  const because = whyNot(user, home);
  return because === undefined ? { is: 'yes' } : no(because);
}

function whyNot(user: User, home: Home): string | undefined {
  if (user.deleted) return 'the account is deactivated';
  if (user.is_bot || user.is_workflow_bot || user.id === 'USLACKBOT') return 'it is a bot';
  if (user.is_stranger) return 'the account is of another company (Slack Connect)';
  if (user.is_restricted || user.is_ultra_restricted) return 'the account is a guest';
  if (user.is_invited_user) return 'the invitation was not accepted yet';
  return isOurs(user, home) ? undefined : 'the account is of another workspace';
}

/** In an organisation an account lists the workspaces that it is in; elsewhere it names its one. */
function isOurs({ team_id, enterprise_user: wide }: User, { team, enterprise }: Home): boolean {
  if (team_id === team) return true;
  return enterprise !== undefined && wide?.enterprise_id === enterprise && (wide.teams?.includes(team) ?? false);
}

type Members = { readonly is: 'members'; readonly members: ReadonlySet<string> } | Exclude<Says, { is: 'yes' }>;

const GroupAnswer = z.object({ users: z.array(z.string()) });
/** Refusals that say something of the group; all others are of the token or of Slack. */
const UNKNOWN_GROUPS = new Set(['no_such_subteam', 'subteam_not_found', 'subteam_disabled', 'user_group_disabled']);
const UNPAID = new Set(['plan_upgrade_required', 'paid_only', 'paid_teams_only']);

function membersOf(called: Called<{ users: readonly string[] }>, id: string): Members {
  if (called.is === 'ok') return { is: 'members', members: new Set(called.value.users) };
  if (called.is === 'refused' && UNKNOWN_GROUPS.has(called.code)) return no(`there is no group ${id} in use`);
  if (called.is === 'refused' && UNPAID.has(called.code)) return no(failureOf(called));
  return { is: 'unreadable', because: failureOf(called) };
}
