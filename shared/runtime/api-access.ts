import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { milliseconds } from '../handler.ts';
import { Principal } from '../model.ts';
import { type Admitted, Door } from '../ports/api.ts';

/** For how long an invitation can be used, and what it opens stays open. */
const INVITATION = milliseconds('24h');
const OPEN: Readonly<Record<Door, number>> = { page: milliseconds('7d'), cli: milliseconds('30d') };

/** That whoever has the secret of this digest is a person, until a moment. The secret itself is kept nowhere. */
export const Grant = z.object({
  digest: z.string(),
  who: Principal,
  door: Door,
  at: z.iso.datetime(),
  until: z.iso.datetime(),
});
export type Grant = z.infer<typeof Grant>;

/** Where grants outlive a restart. `load` is called once. */
export interface Keep {
  load(): readonly Grant[];
  save(grants: readonly Grant[]): void;
}

interface Holder {
  readonly who: Principal;
  /** Whether it is who runs Gleaner: only that one lets others in, and shows them out. */
  readonly isOwner: boolean;
}

/** Who gets in. Every secret is 256 random bits and belongs to one principal. */
export interface Access {
  /** A secret that is good for one use. `lasts` in milliseconds; `forever`: until the process ends. */
  invite(who: Principal, lasts?: number | 'forever'): { readonly token: string; readonly until: string | undefined };
  /** Whom an invitation is for, without using it. */
  invited(token: string): Principal | undefined;
  /** Uses an invitation; undefined: it is wrong, over, or was used before. */
  open(token: string, door: Door): { readonly secret: string; readonly grant: Grant } | undefined;
  /** The secret of who runs Gleaner, for its own machine. It ends with the process. */
  own(who: Principal): string;
  /** Whose secret it is, at the door that it was made for. */
  holder(secret: string | undefined, door: Door): Holder | undefined;
  /** Who may get in, the invited left out. */
  people(): readonly Admitted[];
  /** Ends what a principal has: sessions, tokens, invitations. Answers how many. */
  shut(who: Principal): number;
}

const secretOf = () => randomBytes(32).toString('base64url');
const digestOf = (secret: string) => createHash('sha256').update(secret).digest();
/** Compares all of them in constant time, so that timing tells nothing of what is kept. */
const find = <T extends { readonly digest: string }>(all: Iterable<T>, secret: string): T | undefined => {
  const given = digestOf(secret);
  return [...all].reduce<T | undefined>(
    (found, one) => (timingSafeEqual(Buffer.from(one.digest, 'hex'), given) ? one : found),
    undefined,
  );
};

interface Invitation {
  readonly digest: string;
  readonly who: Principal;
  readonly until: string | undefined;
}

const FORGETFUL: Keep = { load: () => [], save() {} };

export function access(now: () => Date, keep: Keep = FORGETFUL): Access {
  const isOpen = ({ until }: { until: string | undefined }) => until === undefined || until > now().toISOString();
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString();
  let grants: readonly Grant[] = keep.load().filter(isOpen);
  let invitations: readonly Invitation[] = [];
  const owners: { readonly digest: string; readonly who: Principal; readonly at: string }[] = [];
  const set = (next: readonly Grant[]) => {
    grants = next.filter(isOpen);
    keep.save(grants);
  };
  const pending = (token: string) => find(invitations.filter(isOpen), token);
  return {
    invite(who, lasts = INVITATION) {
      const token = secretOf();
      const until = lasts === 'forever' ? undefined : later(lasts);
      invitations = [...invitations.filter(isOpen), { digest: digestOf(token).toString('hex'), who, until }];
      return { token, until };
    },
    invited: (token) => pending(token)?.who,
    open(token, door) {
      const invitation = pending(token);
      if (!invitation) return undefined;
      invitations = invitations.filter((one) => one !== invitation);
      const secret = secretOf();
      const digest = digestOf(secret).toString('hex');
      const grant = { digest, who: invitation.who, door, at: later(0), until: later(OPEN[door]) };
      set([...grants, grant]);
      return { secret, grant };
    },
    own(who) {
      const secret = secretOf();
      owners.push({ digest: digestOf(secret).toString('hex'), who, at: later(0) });
      return secret;
    },
    holder(secret, door) {
      if (secret === undefined) return undefined;
      const owner = door === 'cli' ? find(owners, secret) : undefined;
      if (owner) return { who: owner.who, isOwner: true };
      const grant = find(
        grants.filter((one) => one.door === door && isOpen(one)),
        secret,
      );
      return grant && { who: grant.who, isOwner: false };
    },
    people: () => [
      ...owners.map(({ who, at }) => ({ who, at, door: 'cli' as const })),
      ...grants.filter(isOpen).map(({ who, door, at, until }) => ({ who, door, at, until })),
    ],
    shut(who) {
      const stay = grants.filter((one) => one.who !== who);
      const uninvited = invitations.filter((one) => one.who !== who);
      const ended = grants.length - stay.length + invitations.length - uninvited.length;
      invitations = uninvited;
      if (stay.length < grants.length) set(stay);
      return ended;
    },
  };
}
