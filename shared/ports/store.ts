import type { Ending, Table, Tables } from '../model.ts';

export type { Ending, Table, Tables } from '../model.ts';

/** An item as it was read, with the version that a later `put` must name. */
export interface Row<T> {
  readonly item: T;
  /** Grows by one with each put; 0 stands for "absent". */
  readonly version: number;
}

type Put<T> =
  | { readonly ok: true; readonly version: number }
  | { readonly ok: false; readonly winner: Row<T> | undefined };

/** What keeps a write from being done, looked at in the very moment of the write, by the store's own time. */
export interface Unless {
  /** Where the item's `expiresAt` has come: the loser gets the row as it stands. */
  readonly expired?: boolean;
}

/** One hash-chained line of the audit log: `hash` is SHA-256 over `previous` and the line's own text. */
export interface AuditLine {
  readonly sequence: number;
  readonly at: string;
  /** `event`, `decision` or `touch`. */
  readonly kind: string;
  readonly text: string;
  readonly previous: string;
  readonly hash: string;
}

/**
 * Durable items, each changed by compare-and-set on that one item, and the append-only audit log.
 * What cannot be read as its schema throws; what was written by a newer Gleaner is refused when the store is opened.
 */
export interface Store {
  get<K extends Table>(table: K, id: string): Promise<Row<Tables[K]> | undefined>;
  /** Writes the item if its stored version still is `version` (0: if it is absent). The loser gets the winner's row. */
  put<K extends Table>(table: K, item: Tables[K], version: number, unless?: Unless): Promise<Put<Tables[K]>>;
  /** All items of a table, in the order of their ids; `cluster` narrows where the items have one. Grows with history. */
  list<K extends Table>(table: K, where?: { cluster?: string }): Promise<readonly Row<Tables[K]>[]>;
  /** The same of those alone that are not over (`overAt`), or are since a time that is a week ago at most. Does not grow. */
  current<K extends Ending>(
    table: K,
    where?: { cluster?: string; overSince?: string },
  ): Promise<readonly Row<Tables[K]>[]>;
  /**
   * Removes some of what was over before these times: proposals and incidents, with what hangs on them (images, posts),
   * and silences; and receipts. What something current names stays, and so does the audit log. Call it now and then.
   */
  prune(before: { closed: string; received: string }): Promise<void>;
  append(line: { at: string; kind: AuditLine['kind']; text: string }): Promise<void>;
  /** The audit log from a sequence number on, in order, at most `limit` lines. */
  audit(from: number, limit: number): Promise<readonly AuditLine[]>;
}
