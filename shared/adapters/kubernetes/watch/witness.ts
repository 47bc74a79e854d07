import type { Kind } from '../../../objects.ts';

/** Told how far a watch has seen: what was there before that moment has been told. `collection` is a kind with its selection. */
export interface Witness {
  /** Everything up to now was seen, as far as the API server sends in order. */
  heard(kind: Kind, collection: string): void;
  /** All of the collection was read anew, and compared with what was known. */
  listed(kind: Kind, collection: string, objects: number): void;
}

/** For who keeps no account of it. */
export const NOBODY: Witness = { heard() {}, listed() {} };
