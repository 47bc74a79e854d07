import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../model.ts';

/** Sessions of the page. A link's token opens one session, once; a session belongs to one principal. */
export interface Sessions {
  /** A token for a link, good for one use. */
  invite(who: Principal): string;
  /** Takes a token and opens a session; undefined: it is wrong, or was used before. */
  open(token: string): string | undefined;
  /** Whose session it is. */
  whose(session: string | undefined): Principal | undefined;
}

const secret = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Sessions in memory: a restart ends them, and prints a new link. */
export function sessions(): Sessions {
  const invitations = new Map<string, Principal>();
  const open = new Map<string, Principal>();
  // Equal digests are looked for in constant time, so that timing tells nothing of a stored secret.
  const find = <T>(map: ReadonlyMap<string, T>, given: string) =>
    [...map.keys()].find((known) => timingSafeEqual(digest(known), digest(given)));
  return {
    invite(who) {
      const token = secret();
      invitations.set(token, who);
      return token;
    },
    open(token) {
      const known = find(invitations, token);
      const who = known === undefined ? undefined : invitations.get(known);
      if (known === undefined || who === undefined) return undefined;
      invitations.delete(known);
      const session = secret();
      open.set(session, who);
      return session;
    },
    whose(session) {
      const known = session === undefined ? undefined : find(open, session);
      return known === undefined ? undefined : open.get(known);
    },
  };
}
