import * as z from 'zod';
import { chat } from './chat.ts';
import { type Answer, type Method, method } from './method.ts';
import { people } from './people.ts';
import { views } from './views.ts';

const authTest = method({
  token: 'any',
  scopes: [],
  args: z.strictObject({}),
  run(_, { state, token }): Answer {
    if (token.kind === 'app') return { ok: true, app_id: state.appId, app_name: 'Gleaner' };
    const team = state.teams.get(token.team);
    return {
      ok: true,
      url: `https://${team?.domain}.slack.com/`,
      ...{
        team: team?.name ?? '',
        team_id: token.team,
        user: 'gleaner',
        user_id: state.botUserId,
        bot_id: state.botId,
      },
      ...(team?.enterprise && { enterprise_id: team.enterprise.id }),
      is_enterprise_install: false,
    };
  },
});

const connectionsOpen = method({
  token: 'app',
  scopes: ['connections:write'],
  args: z.strictObject({}),
  run: (_, { ticket }) => ({ ok: true, url: ticket() }),
});

/** The methods that the double knows; any other is `unknown_method`. */
export const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': authTest,
  'apps.connections.open': connectionsOpen,
  ...chat,
  ...people,
  ...views,
};
