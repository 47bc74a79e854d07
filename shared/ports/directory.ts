import type { From, Principal } from '../model.ts';

/** What the directory of people says; `unreadable` covers refusals and outages, and is never a yes. */
export type Says =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly because: string }
  | { readonly is: 'unreadable'; readonly because: string };

/** Who people are, as the system says in which they log in. Its answers are 60 seconds old at most. */
export interface Directory {
  /** Whether a principal is now a full, active person of ours: no guest, stranger, bot, nor of another workspace. */
  isMember(who: Principal, from?: From): Promise<Says>;
  /** Whether a principal now belongs to a group that is in use. */
  belongs(who: Principal, group: Principal): Promise<Says>;
  /** The same, asked anew: before a cluster is touched no cached answer counts. */
  fresh(): Directory;
}
