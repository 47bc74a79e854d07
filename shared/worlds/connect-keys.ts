import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { keysIn } from '../adapters/ingest/signature.ts';
import { type JsonObject, milliseconds } from '../handler.ts';
import type { Read } from '../ports/cluster.ts';
import { HOME } from './connect-rights.ts';

/** The Secret from which the chart mounts the watcher's keys, and its one entry. */
export const KEYS = 'gleaner-keys';
const ENTRY = 'keys';
/** When the keys were changed last. */
const CHANGED = 'gleaner.dev/changed-at';

export const keysRef = { apiVersion: 'v1', kind: 'Secret', namespace: HOME, name: KEYS } as const;

/** How long a former key or credential works beside its successor: by then watchers and functions have read the new one. */
export const OVERLAP = milliseconds('10m');

/** A key of Standard Webhooks: 32 random bytes. */
const newKey = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The Secret with the keys, the newest first. The watcher signs with each of them, and reads the file anew each time. */
export const keysSecret = (keys: readonly string[], changedAt: Date): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
  metadata: { name: KEYS, namespace: HOME, annotations: { [CHANGED]: changedAt.toISOString() } },
  data: { [ENTRY]: Buffer.from(`${keys.join('\n')}\n`).toString('base64') },
});

const Kept = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
  data: z.object({ [ENTRY]: z.string() }),
});

/** The keys in the cluster, and since when they are so. What cannot be read as keys counts as none. */
export function keysAt(read: Read): { readonly keys: readonly string[]; readonly changedAt: Date | undefined } {
  const kept = read.is === 'there' ? Kept.safeParse(read.object).data : undefined;
  const changed = kept?.metadata.annotations?.[CHANGED];
  return {
    keys: readKeys(kept ? Buffer.from(kept.data[ENTRY], 'base64').toString('utf8') : undefined),
    changedAt: changed === undefined ? undefined : new Date(changed),
  };
}

/** The keys in a parameter's value. */
export function readKeys(text: string | undefined): readonly string[] {
  try {
    return text === undefined ? [] : keysIn(text);
  } catch {
    return [];
  }
}

interface KeysNow {
  /** As the ingest knows them. */
  readonly kept: readonly string[];
  /** As the watcher has them. */
  readonly at: ReturnType<typeof keysAt>;
  readonly rotate: boolean;
  readonly revoke: boolean;
  readonly now: Date;
}

/** The keys that are to be on both sides, the newest first, and since when: a former one goes when its time is over. */
export function nextKeys({ kept, at, rotate, revoke, now }: KeysNow) {
  const known = kept.length > 0 ? kept : at.keys;
  const [newest] = known;
  if (newest === undefined || revoke) return { keys: [newKey()], changedAt: now };
  if (rotate) return { keys: [newKey(), newest], changedAt: now };
  const changedAt = at.changedAt ?? now;
  const isOver = known.length > 1 && now.getTime() - changedAt.getTime() >= OVERLAP;
  return isOver ? { keys: [newest], changedAt: now } : { keys: known, changedAt };
}
