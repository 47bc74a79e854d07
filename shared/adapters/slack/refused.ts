import type { Principal } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';

/** Why something that arrived was not taken: the label of the count. */
export type RefusedKind =
  | 'too-large'
  | 'encoded'
  | 'media-type'
  | 'unsigned'
  | 'stale'
  | 'forged'
  | 'replayed'
  | 'malformed'
  | 'unknown'
  | 'tampered'
  | 'foreign'
  | 'gone';

/** Something that arrived and was not taken. `because` holds nothing of a body, a signature or an address. */
export interface Refused {
  readonly kind: RefusedKind;
  readonly because: string;
  /** Who sent it, where Slack vouches for that. */
  readonly who?: Principal;
  readonly team?: string;
  readonly channel?: string;
}

/** Is told of every refusal. Never throws. */
export type TellRefused = (refused: Refused) => Promise<void>;

export interface RefusalLogParts {
  readonly store: Pick<Store, 'append'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Counts it, such as for `/metrics`. */
  readonly count: (kind: RefusedKind) => void;
  readonly warn: (because: string) => void;
}

/** What strangers can send without end stands in the audit log once a minute, with how often it came. */
const QUIET = 60_000;

/**
 * Counts every refusal and writes it into the audit log. Whoever finds the address can send what is not signed: that is
 * written at most once a minute for each kind, so that nobody fills the log from outside.
 */
export function refusalLog({ store, clock, count, warn }: RefusalLogParts): TellRefused {
  const written = new Map<RefusedKind, { at: number; since: number }>();

  /** How many of its kind a line stands for; undefined: none is due. */
  function due({ kind, who }: Refused, now: number): number | undefined {
    if (who !== undefined) return 1;
    const last = written.get(kind);
    if (last && now - last.at < QUIET) {
      last.since += 1;
      return undefined;
    }
    written.set(kind, { at: now, since: 0 });
    return 1 + (last?.since ?? 0);
  }

  return async (refused) => {
    count(refused.kind);
    const now = clock.now();
    const times = due(refused, now.getTime());
    if (times === undefined) return;
    const text = JSON.stringify({ event: 'not-taken', ...refused, ...(times > 1 && { times }) });
    try {
      await store.append({ at: now.toISOString(), kind: 'refusal', text });
    } catch (error) {
      warn(`a refusal could not be written into the audit log: ${error}`);
    }
  };
}
