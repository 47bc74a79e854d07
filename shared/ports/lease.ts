/** What stands in a Lease of coordination.k8s.io. */
export interface LeaseRecord {
  /** Who holds it; empty: its last holder gave it back. */
  readonly holder: string;
  /** Changes with every write of anybody. */
  readonly version: string;
  readonly uid: string;
  /** How often it has passed from one holder to another. */
  readonly transitions: number;
  /** When its holder took it, as that holder's clock said. */
  readonly acquiredAt: string | undefined;
  /** When it was written last, as that holder's clock said. */
  readonly renewedAt: string | undefined;
  /** What its holder noted, as it was written; undefined where there is nothing. */
  readonly note: string | undefined;
}

/** `unreadable` covers refusals and outages: it is never "absent". */
export type LeaseRead =
  | { readonly is: 'there'; readonly record: LeaseRecord }
  | { readonly is: 'absent' }
  | { readonly is: 'unreadable'; readonly because: string };

/** What a holder writes. `note` stays as it is where it is undefined. */
export interface LeaseWish {
  readonly holder: string;
  readonly seconds: number;
  readonly renewedAt: Date;
  readonly acquiredAt: Date | undefined;
  readonly transitions: number;
  readonly note: string | undefined;
}

/**
 * What became of a write. `beaten`: somebody else wrote first, and nothing was written. `unknown`: it may have been
 * written, or may be yet; only what a later read shows counts. `refused`: nothing was written, and somebody must mend it.
 */
export type LeaseWritten =
  | { readonly is: 'written'; readonly record: LeaseRecord }
  | { readonly is: 'beaten' }
  | { readonly is: 'unknown'; readonly because: string }
  | { readonly is: 'refused'; readonly because: string };

/** One Lease, read and written by compare-and-set: each write names the version that it replaces, or that there is none. */
export interface Lease {
  read(): Promise<LeaseRead>;
  write(wish: LeaseWish, over: Pick<LeaseRecord, 'version' | 'uid'> | undefined): Promise<LeaseWritten>;
}
