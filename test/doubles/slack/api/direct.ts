import { type Channel, mintId, userSeenBy } from '../state.ts';
import type { Call } from './method.ts';

/** The conversation of the app with one person, opened if need be; undefined where there is no such person. */
export function openDirect({ state, token }: Call, user: string): Channel | undefined {
  if (userSeenBy(state, token.team, user)?.deleted !== false) return undefined;
  const members = new Set([state.botUserId, user]);
  const open = [...state.channels.values()].find(
    ({ kind, team, members: both }) =>
      kind === 'im' && team === token.team && both.has(state.botUserId) && both.has(user),
  );
  if (open) return open;
  const id = mintId(state, 'D');
  const channel: Channel = {
    ...{ id, team: token.team, name: 'directmessage', kind: 'im', members, archived: false },
    sharedWith: new Set(),
  };
  state.channels.set(id, channel);
  return channel;
}
