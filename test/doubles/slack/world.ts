import { randomBytes } from 'node:crypto';
import type { Channel, Group, State, Team, Token, User } from './state.ts';

/** The ids of the world that every double starts with. */
export const TEAM = 'T0GLEANER';
export const CHANNEL = 'C0OPS';
export const GROUP = 'S0ONCALL';
export const ADA = 'U0ADA';
export const BOB = 'U0BOB';
const BOT_USER = 'U0GLEANERBOT';

/** What a fresh install may do: more than Gleaner asks for, so that a test takes away what it wants missing. */
const BOT_SCOPES = [
  ...['chat:write', 'commands', 'usergroups:read', 'users:read', 'im:write', 'channels:read', 'groups:read'],
  ...['im:read', 'channels:history', 'groups:history', 'im:history'],
];

/**
 * A state with one workspace (`T0GLEANER`, paid, of no enterprise), one public channel (`C0OPS`, "ops") that the app,
 * `U0ADA` and `U0BOB` are in, one user group of both (`S0ONCALL`), a bot token and an app token.
 */
export function freshState(now: () => Date): State {
  let count = 0;
  const state: State = {
    now,
    appId: 'A0GLEANER',
    botId: 'B0GLEANER',
    botUserId: BOT_USER,
    teams: new Map(),
    users: new Map(),
    groups: new Map(),
    channels: new Map(),
    tokens: new Map(),
    messages: [],
    views: new Map(),
    next: () => ++count,
  };
  const add = adders(state);
  add.team({ id: TEAM });
  add.user({ id: ADA, name: 'ada', real_name: 'Ada Lovelace' });
  add.user({ id: BOB, name: 'bob', real_name: 'Bob Kahn' });
  add.group({ id: GROUP, handle: 'oncall', members: [ADA, BOB] });
  add.channel({ id: CHANNEL, name: 'ops', members: [BOT_USER, ADA, BOB] });
  add.token({ value: `xoxb-${randomBytes(12).toString('hex')}` });
  add.token({ value: `xapp-1-${randomBytes(12).toString('hex')}`, kind: 'app' });
  return state;
}

type Optional<T, K extends keyof T> = Partial<Omit<T, K>> & Pick<T, K>;
type Listed<T, K extends keyof T> = Omit<T, K> & { [P in K]: Iterable<string> };

/** Furnishes a state. What is left out has a plain default; what is given wins. Each gives what it added. */
export interface Adders {
  team(team: Optional<Team, 'id'>): Team;
  /** A member of the first workspace, unless it says otherwise. */
  user(user: Optional<User, 'id'>): User;
  group(group: Optional<Listed<Group, 'members'>, 'id'>): Group;
  /** Public, with the app in it. */
  channel(channel: Optional<Listed<Channel, 'members' | 'sharedWith'>, 'id'>): Channel;
  /** A bot token with every scope that Gleaner could want; of kind `app`, with `connections:write`. */
  token(token: Optional<Listed<Token, 'scopes'>, 'value'>): Token;
}

export function adders(state: State): Adders {
  return {
    team({ id, ...rest }) {
      const team: Team = { id, domain: id.toLowerCase(), name: id, enterprise: undefined, paid: true, ...rest };
      state.teams.set(id, team);
      const bot = { name: 'gleaner', real_name: 'Gleaner', is_bot: true };
      state.users.set(`${id}/${state.botUserId}`, person({ id: state.botUserId, team: id, ...bot }));
      return team;
    },
    user(given) {
      const user = person({ team: TEAM, ...given });
      state.users.set(`${user.team}/${user.id}`, user);
      return user;
    },
    group({ id, members = [], ...rest }) {
      const group = {
        id,
        team: TEAM,
        name: id,
        handle: id.toLowerCase(),
        enabled: true,
        ...rest,
        members: new Set(members),
      };
      state.groups.set(id, group);
      return group;
    },
    channel({ id, members = [state.botUserId], sharedWith = [], ...rest }) {
      const lists = { members: new Set(members), sharedWith: new Set(sharedWith) };
      const channel: Channel = {
        id,
        team: TEAM,
        name: id.toLowerCase(),
        kind: 'public',
        archived: false,
        ...rest,
        ...lists,
      };
      state.channels.set(id, channel);
      return channel;
    },
    token({ value, kind = 'bot', scopes = kind === 'bot' ? BOT_SCOPES : ['connections:write'], ...rest }) {
      const token: Token = { value, kind, team: TEAM, state: 'active', ...rest, scopes: new Set(scopes) };
      state.tokens.set(value, token);
      return token;
    },
  };
}

const person = (given: Optional<User, 'id' | 'team'>): User => ({
  name: given.id.toLowerCase(),
  real_name: given.id,
  display_name: given.name ?? given.id,
  deleted: false,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_stranger: false,
  is_admin: false,
  is_workflow_bot: false,
  enterprise_user_id: undefined,
  ...given,
});
