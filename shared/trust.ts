import type { Kind, Seen } from './objects.ts';

/** The only file with unchecked casts: each stands for a check that was made elsewhere, named beside it. */

/** Objects that this kind's own schema has read before: caches keep them by kind. */
export const readAs = <T extends Seen>(_kind: Kind<T>, objects: readonly Seen[]) => objects as readonly T[];
