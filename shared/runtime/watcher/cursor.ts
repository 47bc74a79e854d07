import * as z from 'zod';
import type { Kind } from '../../handler.ts';
import type { Clock } from '../../ports/clock.ts';

/** What a leader leaves for the next one: until when each kind was seen and all of it was sent, and which were not seen. */
const Cursor = z.object({
  v: z.literal(1),
  seen: z.record(z.string(), z.iso.datetime()),
  blind: z.array(z.string()).default([]),
});
export type Cursor = z.infer<typeof Cursor>;

/** The cursor in a note; undefined where there is none that can be read, as from a newer release. */
export function cursorIn(note: string | undefined): Cursor | undefined {
  try {
    return Cursor.safeParse(JSON.parse(note ?? '')).data;
  } catch {
    return undefined;
  }
}

/** The moment until which the former leader saw everything; undefined: nobody says. */
export function seenBy(cursor: Cursor | undefined): Date | undefined {
  const times = Object.values(cursor?.seen ?? {}).sort();
  return times[0] === undefined ? undefined : new Date(times[0]);
}

/** Keeps account of one leader's watches. */
export interface Account {
  heard(kind: Kind, collection: string): void;
  listed(kind: Kind, collection: string, objects: number): void;
  blinded(kind: string): void;
  sighted(kind: string): void;
  /** The kinds that are not seen now. */
  blind(): readonly string[];
  seenUntil(kind: string): Date | undefined;
  /** How many objects were read anew since this was asked last, of a kind or of all, and how many kinds they are of. */
  rechecked(kind?: string): { readonly objects: number; readonly kinds: number };
  /** When a collection was read anew last. */
  lastListed(): Date | undefined;
  /** The note for the next leader. What was seen and is not sent yet counts as not seen. */
  note(unsentSince: Date | undefined): string;
}

/** `former`: what stays true until the contrary is seen. */
export function account(wall: Pick<Clock, 'now'>, former: Cursor | undefined): Account {
  /** By collection, for one kind may be watched in several selections. */
  const seen = new Map<string, { readonly kind: string; readonly at: Date }>();
  const listings = new Map<string, { readonly kind: string; readonly objects: number }>();
  const blind = new Set<string>();
  let lastListed: Date | undefined;
  const inherited = new Map(Object.entries(former?.seen ?? {}));

  function heard({ kind }: Kind, collection: string) {
    seen.set(collection, { kind, at: wall.now() });
    inherited.delete(kind);
  }

  function byKind(): Map<string, string> {
    const times = new Map(inherited);
    for (const { kind, at } of seen.values()) {
      const [time, known] = [at.toISOString(), times.get(kind)];
      times.set(kind, known !== undefined && known < time ? known : time);
    }
    return times;
  }

  return {
    heard,
    listed(kind, collection, objects) {
      heard(kind, collection);
      listings.set(collection, { kind: kind.kind, objects });
      lastListed = wall.now();
    },
    blinded: (kind) => void blind.add(kind),
    sighted: (kind) => void blind.delete(kind),
    blind: () => [...blind],
    seenUntil(kind) {
      const time = byKind().get(kind);
      return time === undefined ? undefined : new Date(time);
    },
    rechecked(kind) {
      const some = [...listings].filter(([, listing]) => kind === undefined || listing.kind === kind);
      for (const [collection] of some) listings.delete(collection);
      const objects = some.reduce((sum, [, listing]) => sum + listing.objects, 0);
      return { objects, kinds: new Set(some.map(([, listing]) => listing.kind)).size };
    },
    lastListed: () => lastListed,
    note(unsentSince) {
      const most = unsentSince?.toISOString();
      const times = [...byKind()].map(([kind, time]) => [kind, most !== undefined && most < time ? most : time]);
      return JSON.stringify({ v: 1, seen: Object.fromEntries(times), blind: [...blind] } satisfies Cursor);
    },
  };
}
