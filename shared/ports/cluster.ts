import type { JsonObject, Kind, Look, ObjectRef, Patch, Rights, Wake } from '../handler.ts';
import type { DryRun } from '../model.ts';

/** What the core puts into every touch from its own second look; a plan never does. */
export interface Guard {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** One guarded write. Patches carry resourceVersion and uid (or `test` operations), deletes preconditions. */
export type Touch =
  | { readonly do: 'patch'; readonly target: ObjectRef; readonly patch: Patch; readonly guard: Guard }
  | { readonly do: 'delete'; readonly target: ObjectRef; readonly guard: Guard }
  /** A PUT of a subresource, which no API server guards: `group` serves it, such as `subresources.kubevirt.io`. */
  | { readonly do: 'call'; readonly target: ObjectRef; readonly subresource: string; readonly body: unknown };

/**
 * What became of a write. `unknown`: a timeout, a reset or a 504, after which it may have been applied; read back,
 * never retry blindly. `throttled` and `rejected` are definite: nothing was changed.
 */
export type Touched =
  | { readonly is: 'applied'; readonly object: JsonObject | undefined }
  | { readonly is: 'rejected'; readonly code: number; readonly because: string }
  | { readonly is: 'precondition-failed'; readonly because: string }
  | { readonly is: 'throttled'; readonly retryAfter: number; readonly because: string }
  | { readonly is: 'unknown'; readonly because: string };

/** What stands at a reference now. `unreadable` covers refusals and outages: it is never "absent". */
export type Read =
  | { readonly is: 'there'; readonly object: JsonObject; readonly guard: Guard }
  | { readonly is: 'absent' }
  | { readonly is: 'unreadable'; readonly because: string };

/** What the watch tells: a change that matters to a mode, or that it sees no more, or again. */
export type Watched =
  | { readonly is: 'changed'; readonly wake: Wake; readonly objects: readonly ObjectRef[] }
  | { readonly is: 'blind'; readonly kind: Kind; readonly because: string }
  | { readonly is: 'seeing'; readonly kind: Kind };

/** A picture of the cluster, without what the store remembers of it. */
export type Picture = Omit<Look, 'lastGood'>;

/** What is known of a cluster without reaching it. Its id is the uid of the namespace kube-system. */
export interface KnownCluster {
  readonly id: string;
  readonly name: string;
  readonly flavour: 'harvester' | 'rancher';
  /** `observe`: proposes, touches nothing. */
  readonly does: 'observe' | 'apply';
}

/** One cluster that is reached from here. */
export interface Cluster extends KnownCluster {
  /** A fresh picture, with the rights of one mode: what it does not declare is refused by a throw. */
  look(rights: Rights): Promise<Picture>;
  read(ref: ObjectRef): Promise<Read>;
  dryRun(touch: Touch): Promise<DryRun>;
  touch(touch: Touch): Promise<Touched>;
  /** Follows the kinds of the triggers until aborted; after a break it relists and compares, so nothing is missed. */
  watch(wakes: readonly Wake[], tell: (what: Watched) => void, signal: AbortSignal): Promise<void>;
}
